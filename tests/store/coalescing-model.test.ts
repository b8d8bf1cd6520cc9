// @module-tag slow
import {expect, test} from 'vitest';
import {propertyRuns} from '../helpers/property-runs.ts';
import {coalescingModel} from './coalescing-model.ts';

test('groups follow "Coalescing group" in any order of events, also over crashes and clocks that jump', async () => {
	await expect(coalescingModel(propertyRuns(400))).resolves.toBeUndefined();
});
