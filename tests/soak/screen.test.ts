// @module-tag slow
import {expect, test} from 'vitest';
import {fuzzScreen} from './screen.ts';

test('whatever comes from keyboard, mouse, paste and window, the screen is whole and nothing is allowed', async () => {
	const {wrong, compared} = await fuzzScreen({steps: 50, seed: 20_261_123});
	expect(wrong).toEqual([]);
	expect(compared).toBe(2);
}, 120_000);
