import {expect, test} from 'vitest';
import {dropOldest, keepLast} from '../../source/core/bounds.ts';

test('what was added first is dropped first', () => {
	const known = new Map(['a', 'b', 'c', 'd'].map(key => [key, true]));
	dropOldest(known, 9);
	expect(known.size).toBe(4);
	dropOldest(known, 2);
	expect([...known.keys()]).toEqual(['c', 'd']);
});

test('what is set again is the latest', () => {
	const known = new Map(['a', 'b'].map(key => [key, 1]));
	keepLast(known, ['a', 2], 2);
	keepLast(known, ['c', 3], 2);
	expect([...known]).toEqual([
		['a', 2],
		['c', 3],
	]);
});
