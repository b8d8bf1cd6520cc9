// @module-tag slow
import {expect, test} from 'vitest';
import {fuzzStream} from './stream.ts';

test('whatever strangers write, an attached face shows what the gateway knows', async () => {
	const {different, compared, reattached} = await fuzzStream({events: 3000, seed: 20_261_122});
	expect(different).toEqual([]);
	expect(compared).toBeGreaterThan(5);
	expect(reattached).toBe(1);
}, 120_000);
