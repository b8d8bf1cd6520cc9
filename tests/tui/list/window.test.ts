import {array, assert, constantFrom, nat, oneof, property, record} from 'fast-check';
import {expect, test} from 'vitest';
import {
	atFirst,
	atNewest,
	moveIn,
	rowsOf,
	windowOf,
	type ListMove,
	type ListPosition,
} from '../../../source/tui/list/window.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const list = (from: number, to: number) =>
	rowsOf(
		Array.from({length: to - from + 1}, (_, index) => `#${from + index}`),
		id => id,
	);

/** Ids that are shown, the selected one in brackets. */
const shown = (rows: ReturnType<typeof list>, position: ListPosition, height: number) => {
	const {start, end, cursor} = windowOf(rows, position, height);
	return Array.from({length: end - start}, (_, index) => {
		const id = rows.idAt(start + index);
		return start + index === cursor ? `[${id}]` : id;
	}).join(' ');
};

const moved = (
	rows: ReturnType<typeof list>,
	position: ListPosition,
	...moves: readonly ListMove[]
) => {
	let now = position;
	for (const move of moves) {
		now = moveIn(rows, now, {move, height: 4});
	}

	return now;
};

test('following shows the newest row, selected, as rows come', () => {
	expect(shown(list(1, 9), atNewest, 4)).toBe('#6 #7 #8 [#9]');
	expect(shown(list(1, 12), atNewest, 4)).toBe('#9 #10 #11 [#12]');
	expect(shown(list(1, 2), atNewest, 4)).toBe('#1 [#2]');
	expect(shown(list(1, 0), atNewest, 4)).toBe('');
});

test('a window without height shows nothing and keeps the selection', () => {
	expect(windowOf(list(1, 9), atNewest, 0)).toMatchObject({start: 8, end: 8, cursor: 8});
	expect(windowOf(list(1, 9), atFirst, -3)).toMatchObject({start: 0, end: 0, cursor: 0});
});

test('once paused, the same rows stay on the screen while new ones come and old ones drop out', () => {
	const paused = moved(list(1, 9), atNewest, 'pause');
	expect(shown(list(1, 20), paused, 4)).toBe('#6 #7 #8 [#9]');
	expect(shown(list(5, 24), paused, 4)).toBe('#6 #7 #8 [#9]');
	expect(windowOf(list(5, 24), paused, 4).newer).toBe(15);
});

test('a selected row that dropped out leaves the oldest selected', () => {
	const at = moved(list(1, 9), atNewest, 'first');
	expect(shown(list(4, 12), at, 4)).toBe('[#4] #5 #6 #7');
});

test('rows that a filter took out leave the cursor near its place', () => {
	const at = moved(list(1, 9), atFirst, 'down', 'down', 'down', 'down');
	const filtered = rowsOf(['#1', '#3', '#9'], id => id);
	expect(shown(filtered, at, 4)).toBe('#1 #3 [#9]');
});

test.for<[readonly ListMove[], string]>([
	[['up'], '#6 #7 [#8] #9'],
	[['up', 'up', 'up', 'up'], '[#5] #6 #7 #8'],
	[['down'], '#6 #7 #8 [#9]'],
	[['page-up'], '#3 #4 #5 [#6]'],
	[['page-up', 'page-down'], '#6 #7 #8 [#9]'],
	[['half-up'], '#4 #5 #6 [#7]'],
	[['first'], '[#1] #2 #3 #4'],
	[['first', 'page-down'], '#4 #5 #6 #7'.replace('#4', '[#4]')],
	[['first', 'last'], '#6 #7 #8 [#9]'],
	[['first', {to: '#5'}], '#2 #3 #4 [#5]'],
	[['first', {to: 'gone'}], '[#1] #2 #3 #4'],
	[['first', 'follow'], '#6 #7 #8 [#9]'],
])('%j from the newest shows %s', ([moves, expected]) => {
	expect(shown(list(1, 9), moved(list(1, 9), atNewest, ...moves), 4)).toBe(expected);
});

test('moving the cursor ends following, and what came since is counted', () => {
	const at = moved(list(1, 9), atNewest, 'up');
	expect(at.follow).toBe(false);
	expect(windowOf(list(1, 11), at, 4).newer).toBe(2);
	expect(windowOf(list(1, 11), moved(list(1, 11), at, 'last'), 4).newer).toBe(2);
	expect(windowOf(list(1, 11), moved(list(1, 11), at, 'follow'), 4).newer).toBe(0);
});

const moves = constantFrom<ListMove>(
	'down',
	'up',
	'page-down',
	'page-up',
	'half-down',
	'half-up',
	'first',
	'last',
	'follow',
	'pause',
	{to: '#7'},
);

const step = oneof(
	moves.map(move => ({move})),
	record({come: nat({max: 30}), go: nat({max: 30})}),
	record({height: nat({max: 12})}),
);

test('whatever happens, the window is full, within the list, and holds the cursor', () => {
	assert(
		property(array(step, {maxLength: 40}), steps => {
			let first = 1;
			let last = 10;
			let height = 4;
			let position: ListPosition = atNewest;
			for (const what of steps) {
				if ('move' in what) {
					position = moveIn(list(first, last), position, {move: what.move, height});
				} else if ('come' in what) {
					last += what.come;
					first = Math.min(first + what.go, last + 1);
				} else {
					height = what.height;
				}

				const rows = list(first, last);
				const view = windowOf(rows, position, height);
				expect(view.end - view.start).toBe(Math.min(height, rows.length));
				expect(view.start).toBeGreaterThanOrEqual(0);
				expect(view.end).toBeLessThanOrEqual(rows.length);
				expect(view.cursor).toBeLessThan(rows.length);
				expect(rows.length === 0).toBe(view.cursor === -1);
				const inside = view.cursor >= view.start && view.cursor < view.end;
				expect(inside || height === 0 || rows.length === 0).toBe(true);
				expect(windowOf(rows, view.position, height)).toEqual(view);
				position = view.position;
			}
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test('while the selected and the first row are there, rows that come and go move nothing on the screen', () => {
	assert(
		property(array(moves, {maxLength: 12}), nat({max: 100}), nat({max: 30}), (keys, come, go) => {
			const before = list(1, 30);
			const position = moved(before, atNewest, ...keys, 'pause');
			const old = windowOf(before, position, 4);
			const gone = Math.min(go, old.start);
			const after = list(1 + gone, 30 + come);
			expect(shown(after, position, 4)).toBe(shown(before, position, 4));
		}),
	);
});
