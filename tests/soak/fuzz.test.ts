// @module-tag slow
import {expect, test} from 'vitest';
import {fuzzRequests} from './fuzz.ts';

test('a broken request never gets a server error, never hangs, and harms nobody after it', async () => {
	const {strange, statuses} = await fuzzRequests({requests: 600, seed: 20_261_121});
	expect(strange).toEqual([]);
	// What is mutated still reaches every part of the receiver.
	expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['202', '400', '401', '404']));
}, 120_000);
