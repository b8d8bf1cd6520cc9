import {expect, test} from 'vitest';
import {runColumns, runHeader, runNeeds} from '../../../../source/tui/panes/runs/run-columns.ts';
import {makeRun} from '../../../helpers/make.ts';
import {testNow} from '../../../helpers/show-shell.tsx';

const done = makeRun({
	id: 1658,
	state: 'done',
	startedAt: testNow,
	finishedAt: testNow + 1200,
});

/** What a list has beside its detail, by the columns of the screen. */
const besides = {100: 39, 120: 47, 140: 55} as const;

test.for([
	[100, 15, 0],
	[120, 23, 0],
	[140, 22, 8],
] as const)(
	'on %i columns, beside the detail, what a run is about gets %i cells, its time %i',
	([screen, event, time]) => {
		const columns = runColumns(besides[screen], runNeeds([done], testNow));
		expect([columns.event, columns.time]).toEqual([event, time]);
	},
);

test.for([39, 47, 55, 62, 80, 96, 130])('a row of %i cells is full', width => {
	expect(runHeader(runColumns(width, runNeeds([done], testNow))).length).toBe(width);
});

test('a longer state, number or time gets its cells, as far as that goes', () => {
	const long = makeRun({
		id: 1_234_567,
		state: 'interrupted',
		startedAt: testNow - 3_723_000,
		finishedAt: testNow,
	});
	expect(runNeeds([done, long], testNow)).toEqual({id: 7, state: 13, took: 7});
});

test('what comes and goes with nearly every list moves no column', () => {
	const states = ['queued', 'running', 'done', 'silent', 'failed', 'dead'] as const;
	const needs = states.map(state => runNeeds([makeRun({...done, state})], testNow));
	expect(new Set(needs.map(need => JSON.stringify(need))).size).toBe(1);
});
