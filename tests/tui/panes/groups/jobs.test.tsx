import {expect, test} from 'vitest';
import type {JobView} from '../../../../source/core/job.ts';
import {runList} from '../../../../source/tui/entries/lists.ts';
import {jobsHaveFocus} from '../../../../source/tui/entries/sections.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeGroup, makeJob, makeRun} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const minute = 60_000;
const day = 24 * 60 * minute;

const morning = makeJob({
	nextAt: testNow + 4 * minute + 12_000,
	lastRunId: 183,
	lastAt: testNow - 60 * minute,
});

const jobs: readonly JobView[] = [
	morning,
	makeJob({
		id: 'job_digest00',
		name: 'digest',
		schedule: 'every 2d',
		nextAt: testNow + 3 * day - 1,
		open: 1,
	}),
	makeJob({
		id: 'job_broken00',
		name: 'broken',
		schedule: '0 99 * * *',
		state: 'invalid',
		problem: 'hour 99 is not between 0 and 23',
	}),
	makeJob({id: 'job_away0000', name: 'away', state: 'paused', profile: 'ops'}),
	makeJob({id: 'job_once0000', name: 'once', schedule: '2026-11-01T09:00', state: 'ended'}),
];

const lastRun = makeRun({id: 183, state: 'done', answer: 'All is'});

const group = makeGroup({
	firstAt: testNow,
	lastAt: testNow,
	quietAt: testNow + 30_000,
	capAt: testNow + 300_000,
});

test('jobs stand below the groups: schedule, next run in time and as countdown, last run, open runs', async () => {
	const port = createFakePort({groups: [group], jobs, runs: [lastRun]});
	await using shown = await showShell(port, narrow, {pane: 'groups'});

	expect(shown.text()).toContain('·· Jobs ·· 5 ·· ! 1 invalid ·· next morning in 4:12 ··');
	const rows = readTable(shown.screen.lines(), [
		'name',
		'schedule',
		'next run',
		'last run',
		'open',
	]);
	expect(rows.map(({sign, text, cells}) => (sign === '' ? Object.values(cells) : text))).toEqual([
		['morning', '0 9 * * 1-5', 'in 4:12  12:04:12', '✓ done #183', '0'],
		['digest', 'every 2d', 'in 2 d 23 h  Nov 23 11:59', 'never', '1'],
		expect.stringMatching(/^! broken +✗ hour 99 is not between 0 and 23$/),
		['ops/away', '0 9 * * 1-5', 'paused', 'never', '0'],
		['once', expect.stringMatching(/^2026-11-01T/), 'ended', 'never', '0'],
	]);
});

test('the countdown goes on each second', async () => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.pass(2000);

	expect(shown.text()).toContain('in 4:10  12:04:12');
});

test('Tab goes to the jobs and back; j and k go over the edge', async () => {
	const port = createFakePort({groups: [group], jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	const selected = () =>
		shown.screen
			.lines()
			.filter(row => row.startsWith('>'))
			.map(row => row.replace(/^>\W+(\w[\w-]*).*/, '$1'));

	expect(selected()).toEqual(['gh-review']);
	await shown.screen.press('tab');
	expect(selected()).toEqual(['morning']);
	await shown.screen.press('tab');
	expect(selected()).toEqual(['gh-review']);
	await shown.screen.press('j');
	expect(selected()).toEqual(['morning']);
	await shown.screen.press('j');
	expect(selected()).toEqual(['digest']);
	await shown.screen.press('k', 'k');
	expect(selected()).toEqual(['gh-review']);
});

test('without groups the jobs have the keyboard', async () => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});

	expect(shown.text()).toMatch(/^> {2}morning/m);
	expect(shown.said()).toContain('x run now (asks)');
	await shown.screen.press('k');
	expect(shown.text()).toMatch(/^> {2}morning/m);
});

test('x says what it starts and asks, then runs the job of its profile', async () => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('j', 'x');
	expect(shown.text()).toContain('── Run digest now ──');
	expect(shown.text()).toContain('Starts 1 agent run now; its answer goes to log.');
	expect(shown.text()).toContain('1 run of it has not ended: this one waits for that.');
	await shown.screen.press('enter');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'runJob', args: ['job_digest00', {profile: 'default'}]}]);
	expect(shown.said()).toBe(' Run #1 of digest is queued');

	await shown.screen.press('j', 'j', 'x');
	expect(shown.text()).toContain('Its schedule stays paused.');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls.at(-1)).toEqual({name: 'runJob', args: ['job_away0000', {profile: 'ops'}]});
});

test('p pauses an active job and resumes a paused one', async () => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('p');
	await shown.pass(0);
	expect(shown.said()).toBe(' morning is paused: it does not fire');
	await shown.screen.press('j', 'j', 'j', 'p');
	await shown.pass(0);

	expect(shown.said()).toBe(' ops/away is resumed: it fires at its next time');
	expect(port.calls).toEqual([
		{name: 'setJobPaused', args: ['job_morning0', {paused: true, profile: 'default'}]},
		{name: 'setJobPaused', args: ['job_away0000', {paused: false, profile: 'ops'}]},
	]);
});

test.for([
	['p', 2, 'The job is invalid: hour 99 is not between 0 and 23'],
	['x', 2, 'The job is invalid: hour 99 is not between 0 and 23'],
	['p', 4, 'It has fired once, and has ended'],
	['o', 1, 'It has not run yet'],
] as const)('%s on job %d says "%s"', async ([key, index, reason]) => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('g', ...Array.from({length: index}, () => 'j'), key);

	expect(shown.said()).toContain(reason);
	expect(port.calls).toEqual([]);
});

test('Enter shows the job with the whole answer of its last run, o opens that run', async () => {
	const port = createFakePort({jobs, runs: [lastRun]});
	port.runs.set(183, {
		...lastRun,
		plan: {prompt: 'Sum up', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [],
		fullAnswer: 'All is well.\nNothing to do.',
	});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('enter');
	await shown.pass(400);
	expect(shown.text()).toContain('job_morning0  morning  active');
	expect(shown.text()).toContain('time zone UTC');
	expect(shown.text()).toContain('Last run  #183  ✓ done');
	expect(shown.text()).toContain(' Nothing to do.');

	await shown.screen.press('o');
	expect(shown.shell.list(runList).selected()?.id).toBe(183);
});

test('the problem of an invalid job is whole in its detail', async () => {
	const problem = 'the schedule cannot be understood '.repeat(6).trim();
	const port = createFakePort({jobs: [makeJob({state: 'invalid', problem})]});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	await shown.screen.press('enter');

	expect(shown.text().replaceAll(/\s+/g, ' ')).toContain(`✗ ${problem}`);
});

test('/ filters the section that has the keyboard', async () => {
	const port = createFakePort({groups: [group], jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('tab', '/');
	await shown.screen.type('state:paused');

	expect(shown.text()).toContain('── Jobs ── state:paused ── 1 of 5 ── 5 ──');
	expect(shown.text()).toContain('ops/away');
	expect(shown.text()).not.toContain('digest');
	expect(shown.text()).toContain('acme/api#7');
});

test('y copies name, identifier or schedule', async () => {
	const port = createFakePort({jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	for (const key of ['n', 'i', 's']) {
		// oxlint-disable-next-line no-await-in-loop -- one copy after the other
		await shown.screen.press('y', key);
		// oxlint-disable-next-line no-await-in-loop -- one copy after the other
		await shown.pass(0);
	}

	expect(shown.desktop.copied).toEqual(['morning', 'job_morning0', '0 9 * * 1-5']);
});

test('the palette finds jobs and what can be done with them', async () => {
	const port = createFakePort({groups: [group], jobs});
	await using shown = await showShell(port, narrow);
	await shown.screen.press(':');
	await shown.screen.type('go to job dig');
	await shown.screen.press('enter');
	expect(shown.text()).toMatch(/^> {2}digest/m);

	await shown.screen.press('1', ':');
	await shown.screen.type('run now');
	await shown.screen.press('enter');
	expect(shown.text()).toContain('── Run digest now ──');
});

test.for([
	['the list', []],
	['the detail', ['enter']],
	['the filter', ['/']],
	['the list, reached from another pane,', ['1', '2']],
] as const)('the first group that comes leaves the keyboard to %s of jobs', async ([, keys]) => {
	const port = createFakePort({jobs, runs: [lastRun]});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press(...keys);
	port.change({groups: [group]});
	await shown.pass(250);
	expect(shown.text()).toContain('morning');
	expect(jobsHaveFocus(shown.shell)).toBe(true);
	await shown.screen.press(...(keys.length === 1 ? ['esc', 'esc'] : []), 'x');

	expect(shown.text()).toContain('── Run morning now ──');
});

test('the first job that comes leaves the keyboard to the groups', async () => {
	const port = createFakePort({groups: [group], jobs});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('tab');
	port.change({jobs: []});
	await shown.pass(250);
	await shown.screen.press('enter');
	port.change({jobs});
	await shown.pass(250);

	expect(jobsHaveFocus(shown.shell)).toBe(false);
	expect(shown.text()).toContain('acme/api#7');
});

test('jobs that come into an open, empty pane keep the keyboard from the first key on', async () => {
	const port = createFakePort();
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	port.change({jobs});
	await shown.pass(250);
	await shown.screen.press('enter');
	port.change({groups: [group]});
	await shown.pass(250);

	expect(jobsHaveFocus(shown.shell)).toBe(true);
});
