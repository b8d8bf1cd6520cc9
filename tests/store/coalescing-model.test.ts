import {expect, test} from 'vitest';
import {coalescingModel} from './coalescing-model.ts';

/** Enough for every run of the tests; a soak asks for more. */
const scripts = 300;

test('groups follow "Coalescing group" in any order of events, also over crashes and clocks that jump', async () => {
	await expect(coalescingModel(scripts)).resolves.toBeUndefined();
});
