import {array, assert, integer, property, uniqueArray} from 'fast-check';
import {expect, test} from 'vitest';
import {keptPosition, newerThan} from '../../../source/tui/list/kept-place.ts';
import {rowsOf, windowOf, type ListPosition} from '../../../source/tui/list/window.ts';

const rankOf = Number;
const rows = (...ranks: readonly number[]) => rowsOf(ranks.map(String), id => id);

const at = (rank: number, {index = rank, above = 0} = {}): ListPosition => ({
	follow: false,
	cursor: {id: String(rank), index},
	top: {id: String(rank - above), index: index - above},
});

test('a row that is there keeps its place', () => {
	const position = at(5, {above: 2});
	expect(keptPosition(rows(3, 4, 5, 6), position, {rankOf, height: 3})).toBe(position);
});

test.for<[number, readonly number[], number]>([
	[5, [1, 4, 9], 4],
	[5, [1, 3, 6, 9], 6],
	[5, [4, 6], 4],
	[5, [9], 9],
	[0, [4, 6], 4],
])('of %j, gone, the nearest of %j is %j', ([rank, others, expected]) => {
	const {cursor} = keptPosition(rows(...others), at(rank), {rankOf, height: 3});
	expect(cursor?.id).toBe(String(expected));
});

test('where nobody knows the rank, the old place is the nearest', () => {
	const {cursor} = keptPosition(rows(1, 2, 3), at(9, {index: 1}), {
		rankOf: () => Number.NaN,
		height: 3,
	});
	expect(cursor).toEqual({id: '2', index: 1});
});

test('what came since is counted by rank where the newest of then is not there', () => {
	expect(newerThan(rows(1, 4, 6, 8), 5, rankOf)).toBe(2);
	expect(newerThan(rows(), 5, rankOf)).toBe(0);
	expect(newerThan(rows(1, 4), Number.NaN, rankOf)).toBe(2);
});

const some = uniqueArray(integer({min: 0, max: 60}), {minLength: 1, maxLength: 30});

test('whatever passes, the nearest row is selected, and newer ones move nothing on the screen', () => {
	assert(
		property(
			some,
			integer({min: 0, max: 60}),
			array(integer({min: 1, max: 9})),
			(ids, rank, come) => {
				const before = ids.toSorted((one, other) => one - other);
				const nearest = keptPosition(rows(...before), at(rank, {above: 2}), {rankOf, height: 5});
				const {position} = windowOf(rows(...before), nearest, 5);
				const chosen = Number(position.cursor?.id);
				expect(before.every(id => Math.abs(id - rank) >= Math.abs(chosen - rank))).toBe(true);

				const after = [...before];
				for (const step of come) {
					after.push((after.at(-1) ?? 0) + step);
				}

				const grown = rows(...after);
				const shown = windowOf(rows(...before), position, 5);
				expect(keptPosition(grown, position, {rankOf, height: 5})).toBe(position);
				const next = windowOf(grown, position, 5);
				expect([next.start, next.cursor]).toEqual([shown.start, shown.cursor]);
			},
		),
	);
});
