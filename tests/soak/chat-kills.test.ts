// @module-tag slow
import {expect, test} from 'vitest';
import {randomOf, runSeed} from '../helpers/random.ts';
import {killChats} from './chat-kills.ts';

test('whoever writes to a gateway that is killed again and again is answered once, in order', async () => {
	const {wrong, answered} = await killChats({messages: 30, kills: 3, random: randomOf(runSeed)});
	expect(wrong).toEqual([]);
	expect(answered).toBeGreaterThan(10);
}, 120_000);
