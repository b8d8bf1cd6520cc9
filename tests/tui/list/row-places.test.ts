import {array, assert, constantFrom, property, uniqueArray} from 'fast-check';
import {expect, test} from 'vitest';
import {createRowPlaces} from '../../../source/tui/view/list-rows.tsx';

test('who stays keeps its place, who comes takes one that was left', () => {
	const placesOf = createRowPlaces();
	expect(placesOf(['a', 'b', 'c'])).toEqual([0, 1, 2]);
	expect(placesOf(['b', 'c', 'd'])).toEqual([1, 2, 0]);
	expect(placesOf(['x', 'y', 'z'])).toEqual([1, 2, 0]);
	expect(placesOf(['x'])).toEqual([1]);
	expect(placesOf(['x', 'y'])).toEqual([1, 0]);
	expect(placesOf([])).toEqual([]);
});

test('no two rows share a place, and none has a higher number than the longest list needs', () => {
	const key = constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
	assert(
		property(array(uniqueArray(key, {maxLength: 8}), {maxLength: 20}), lists => {
			const placesOf = createRowPlaces();
			let last: ReadonlyMap<string, number> = new Map();
			for (const keys of lists) {
				const places = placesOf(keys);
				expect(new Set(places).size).toBe(keys.length);
				for (const [index, one] of keys.entries()) {
					expect(places[index]).toBe(last.get(one) ?? places[index]);
					expect(places[index]).toBeLessThan(8);
				}

				last = new Map(keys.map((one, index) => [one, places[index] ?? -1]));
			}
		}),
	);
});
