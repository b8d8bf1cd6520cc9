import {expect, test} from 'vitest';
import {runNoun} from '../../../source/nouns/run/run.ts';
import {nounTable} from '../../../source/tui/nouns/table.ts';
import {makeRun} from '../../helpers/make.ts';
import {testNow} from '../../helpers/show-shell.tsx';

const done = makeRun({
	id: 1658,
	state: 'done',
	startedAt: testNow,
	finishedAt: testNow + 1200,
});

const known = {now: testNow, approvals: []};

const headerOf = (width: number, runs = [done]) =>
	nounTable(runNoun, width, {items: runs, known}).header;

/** Cells of a column with the blank behind it. */
const cellsOf = (header: string, label: string) =>
	new RegExp(`${label} *(?:$|(?=\\S))`).exec(header)?.[0].length ?? 0;

/** What a list has beside its detail, by the columns of the screen. */
const besides = {100: 39, 120: 47, 140: 55} as const;

test.for([
	[100, 19, 0],
	[120, 27, 0],
	[140, 26, 8],
] as const)(
	'on %i columns, beside the detail, what a run is about gets %i cells, its time %i',
	([screen, event, time]) => {
		const header = headerOf(besides[screen]);
		expect([cellsOf(header, 'why') - 1, Math.max(0, cellsOf(header, 'time') - 1)]).toEqual([
			event,
			time,
		]);
	},
);

test.for([39, 47, 55, 62, 80, 96, 130])('a row of %i cells is full', width => {
	expect(headerOf(width).length).toBe(width);
	expect(
		nounTable(runNoun, width, {items: [done], known})
			.row(done, known, {isSelected: false})
			.reduce((sum, {text}) => sum + text.length, 0),
	).toBe(width);
});

test('a longer number or time gets its cells, as far as that goes, a longer state few of them', () => {
	const long = makeRun({
		id: 1_234_567,
		state: 'interrupted',
		startedAt: testNow - 3_723_000,
		finishedAt: testNow,
	});
	const header = headerOf(47, [done, long]);
	expect(header).toMatch(/^ {3}#{1} {7}why .* state {4} {3}took$/);
});
