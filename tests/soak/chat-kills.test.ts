// @module-tag slow
import {expect, test} from 'vitest';
import {randomOf, runSeed} from '../helpers/random.ts';
import {killChats} from './chat-kills.ts';

test('whoever writes to a gateway that is killed again and again is answered once, in order', async () => {
	const {wrong, answered} = await killChats({messages: 20, kills: 2, random: randomOf(runSeed)});
	expect(wrong).toEqual([]);
	expect(answered).toBeGreaterThan(6);
}, 120_000);
