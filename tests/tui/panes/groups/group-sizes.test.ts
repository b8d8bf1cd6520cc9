import {expect, test} from 'vitest';
import {doneHeading, sizesOf, waitsOf} from '../../../../source/tui/panes/groups/group-sizes.ts';
import {makeGroup} from '../../../helpers/make.ts';

const done = (count: number, waitedMs: number) =>
	makeGroup({count, state: 'dispatched', firstAt: 1000, dispatchedAt: 1000 + waitedMs});

const groups = [
	...[1, 2, 4, 4, 5, 9, 10, 4000].map((count, index) => done(count, index * 10_000)),
	makeGroup({count: 3, state: 'pending'}),
];

test('dispatched groups are counted by what they gathered; what still waits is not', () => {
	expect(sizesOf(groups)).toEqual([1, 3, 2, 2]);
	expect(sizesOf([])).toEqual([0, 0, 0, 0]);
});

test('the wait is told by the middle one and the longest', () => {
	expect(waitsOf(groups)).toEqual({median: 30_000, longest: 70_000});
	expect(waitsOf([done(1, 5)])).toEqual({median: 5, longest: 5});
	expect(waitsOf([])).toBeUndefined();
});

test('the heading of what is done draws both', () => {
	expect(
		doneHeading(groups)
			.map(({text}) => text)
			.join(''),
	).toBe('  ── done ── events  1 ▃  2-4 █  5-9 ▆  10+ ▆ ── median wait 0:30, longest 1:10');
});
