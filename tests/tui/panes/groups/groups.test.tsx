import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../../source/core/delivery.ts';
import type {Group} from '../../../../source/core/group.ts';
import {runList} from '../../../../source/tui/entries/lists.ts';
import {groupList} from '../../../../source/tui/entries/sections.ts';
import {someAttacks} from '../../../helpers/attack-corpus.ts';
import {createFakePort, type FakePort} from '../../../helpers/fake-port.ts';
import {foreignSequences} from '../../../helpers/foreign-sequences.ts';
import {
	groupChanged,
	makeDelivery,
	makeGroup,
	makeJob,
	makeRun,
	received,
} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {freshPicture, showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const second = 1000;

/** A group whose clocks have `quiet` of 30 and `cap` of 300 seconds left at noon. */
const waiting = (
	{quiet, cap}: {readonly quiet: number; readonly cap: number},
	overrides: Partial<Group> = {},
): Group =>
	makeGroup({
		firstAt: testNow - (300 - cap) * second,
		lastAt: testNow - (30 - quiet) * second,
		quietAt: testNow + quiet * second,
		capAt: testNow + cap * second,
		...overrides,
	});

const three: readonly Group[] = [
	waiting({quiet: 2, cap: 272}, {id: 2, key: 'acme/web#77'}),
	waiting({quiet: 28, cap: 12}, {id: 3, route: 'alerts', key: 'host=db-3', count: 48}),
	waiting({quiet: 17, cap: 188}, {id: 1, key: 'acme/api#4211', count: 6}),
];

const done = makeGroup({
	id: 0,
	key: 'acme/api#4190',
	count: 4,
	state: 'dispatched',
	dispatchedAt: testNow - 200 * second,
	reason: 'quiet',
	runId: 183,
});

const ended = makeRun({
	id: 183,
	state: 'done',
	group: 0,
	startedAt: testNow - 100 * second,
	finishedAt: testNow - 59 * second,
});

/** Keeps a group with its events, the latest with a body. */
function keep(port: FakePort, group: Group): void {
	const members = Array.from({length: group.count}, (_, index) => ({
		delivery: index === group.count - 1 ? group.latest : `old-00000${index}`,
		deliveryId: `guid-${index}`,
		event: 'pull_request',
		receivedAt: group.firstAt + index,
	}));
	port.groups.set(group.id, {...group, members});
	const latest: StoredDelivery = {
		...makeDelivery({id: group.latest}),
		headers: {},
		body: new TextEncoder().encode('{"action": "synchronize"}'),
	};
	port.deliveries.set(group.latest, latest);
}

test('at 120 columns each group shows both clocks as bars and seconds, and what comes next', async () => {
	const port = createFakePort({groups: [...three, done], runs: [ended]});
	await using shown = await showShell(port, wide, {pane: 'groups'});

	expect(shown.text()).toContain(
		'── Groups ── 3 pending · 1 dispatched today · flushed at quit ──',
	);
	const rows = readTable(shown.screen.lines(), [
		'route',
		'key',
		'events',
		'quiet window 30 s',
		'cap 300 s',
		'next',
	]);
	expect(rows.slice(0, 3).map(({sign, cells}) => [sign, ...Object.values(cells)])).toEqual([
		[
			'>',
			'gh-review',
			'acme/api#4211',
			'6 (5 old)',
			expect.stringMatching(/^█+░+ {2}17 s left$/),
			expect.stringMatching(/^█+░+ +188 s$/),
			'dispatch 12:00:17',
		],
		[
			'',
			'gh-review',
			'acme/web#77',
			'1',
			expect.stringMatching(/^█+░ +2 s left$/),
			expect.stringMatching(/^░+ +272 s$/),
			'dispatch 12:00:02',
		],
		[
			'',
			'alerts',
			'host=db-3',
			'48 (47 old)',
			expect.stringMatching(/^░+ +28 s left$/),
			expect.stringMatching(/^█+░ +12 s$/),
			'cap 12:00:12',
		],
	]);
	expect(rows[3]).toMatchObject({text: expect.stringMatching(/^── done ── events  1 /)});
	expect(rows[4]).toMatchObject({cells: {route: 'gh-review', key: 'acme/api#4190'}});
	expect(rows[4]?.text).toMatch(
		/4 \(3 old\) +dispatched 11:56:40 by quiet window +#183 ✓ done 0:41$/,
	);
});

test('at 80 columns the bar of the cap is dropped, its seconds stay', async () => {
	const port = createFakePort({groups: [...three, done], runs: [ended]});
	await using shown = await showShell(port, narrow, {pane: 'groups'});

	const rows = readTable(shown.screen.lines(), ['events', 'quiet window', 'cap', 'next']);
	const bar = (seconds: number): unknown =>
		expect.stringMatching(new RegExp(`^[█░]{6,} +${seconds} s$`));
	expect(rows.slice(0, 3).map(({cells}) => Object.values(cells))).toEqual([
		['6 (5 old)', bar(17), '188 s', '12:00:17'],
		['1', bar(2), '272 s', '12:00:02'],
		['48 (47)', bar(28), '12 s', '12:00:12'],
	]);
	expect(rows[4]?.text).toMatch(/acme\/api#4190 +4 \(3 old\) 11:56:40 by quiet window #183 ✓$/);
});

test('without groups the pane says "No route coalesces. `svc webhook subscribe NAME --coalesce-key KEY` makes one."', async () => {
	await using shown = await showShell(createFakePort(), narrow, {pane: 'groups'});

	expect(shown.screen.lines()[4]).toBe(
		'  No route coalesces. `svc webhook subscribe NAME --coalesce-key KEY` makes one.',
	);
	expect(shown.screen.lines()[6]).toBe('  then start one run.');
	expect(shown.text()).toContain('No scheduled jobs. `svc cron add` adds one.');
});

test('routes that coalesce and have no group yet are counted instead', async () => {
	const port = createFakePort({
		routes: [
			{
				name: 'gh-review',
				profile: 'default',
				source: 'static',
				description: '',
				events: [],
				deliver: 'log',
				mode: 'coalesce',
				coalesceKey: '{number}',
				insecure: false,
			},
		],
	});
	await using shown = await showShell(port, narrow, {pane: 'groups'});

	expect(shown.screen.lines()[4]).toBe('  No group waits; 1 route coalesces.');
});

test('bars run four times a second only while groups wait and the pane is seen', async () => {
	const port = createFakePort({groups: three});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	let frames = 0;
	shown.shell.feed.subscribe(() => {
		frames += 1;
	});
	const framesOf = async (ms: number) => {
		frames = 0;
		for (let passed = 0; passed < ms; passed += 10) {
			shown.clock.advance(10);
		}

		await shown.pass(0);
		return frames;
	};

	await framesOf(1000);
	expect(await framesOf(1000)).toBe(4);
	await shown.screen.press('1');
	await framesOf(1000);
	expect(await framesOf(1000)).toBe(1);
	await shown.screen.press('2');
	expect(await framesOf(1000)).toBe(4);
	await shown.screen.press('?');
	expect(await framesOf(1000)).toBe(1);
	await shown.screen.press('esc');
	expect(await framesOf(1000)).toBe(4);
	port.change({groups: [done]});
	await framesOf(1000);
	expect(await framesOf(1000)).toBe(1);
});

test('events that come while bars run cost no further frames', async () => {
	const port = createFakePort({groups: three});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	let frames = 0;
	const group = three[2] ?? makeGroup();
	for (let passed = 0; passed < 2000; passed += 10) {
		if (passed === 1000) {
			shown.shell.feed.subscribe(() => {
				frames += 1;
			});
		}

		port.emit(groupChanged({...group, count: 7 + passed}));
		shown.clock.advance(10);
	}

	expect(frames).toBe(4);
	await shown.pass(250);
	expect(shown.screen.lines()[4]).toContain('1997 (1996)');
});

test('a row keeps its place while events postpone its group', async () => {
	const port = createFakePort({groups: three});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	await shown.screen.press('j');
	port.emit(groupChanged({...waiting({quiet: 30, cap: 272}), id: 2, key: 'acme/web#77', count: 2}));
	await shown.pass(250);

	expect(shown.screen.lines()[5]).toMatch(/^> gh-review +acme\/web#77 +2 \(1 old\)/);
});

test('a group that was over a moment ago says "now"', async () => {
	const port = createFakePort({groups: [waiting({quiet: 0, cap: 100})]});
	await using shown = await showShell(port, wide, {pane: 'groups'});

	expect(shown.screen.lines()[4]).toMatch(/█{13} {3}0 s left .* now$/);
});

test('d asks "Starts 1 agent run now", then dispatches', async () => {
	const port = createFakePort({groups: three});
	keep(port, three[2] ?? makeGroup());
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('d');
	expect(shown.text()).toContain('── Dispatch acme/api#4211 of gh-review now ──');
	expect(shown.text()).toContain('Starts 1 agent run now, for the latest of its 6 events');
	expect(shown.text()).toContain('5 were superseded.');
	await shown.screen.press('enter');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'dispatchGroup', args: [1]}]);
	expect(shown.said()).toBe(' acme/api#4211 is dispatched');
});

test('a group that went meanwhile is said to be dispatched already', async () => {
	const port = createFakePort({groups: three});
	port.answers.dispatched = false;
	keep(port, three[2] ?? makeGroup());
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('d', 'y');
	await shown.pass(0);

	expect(shown.said()).toBe(' Cannot dispatch acme/api#4211: it is not pending any more');
});

test('a failure of the gateway is shown', async () => {
	const port = createFakePort({groups: three});
	port.answers.failure = new Error('Cannot dispatch: \u001b[2Jthe journal is full');
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('d', 'y');
	await shown.pass(0);

	expect(shown.said()).toBe(' Cannot dispatch: ␛[2Jthe journal is full');
});

test('y copies the key, o opens the run, and what cannot be done says why', async () => {
	const port = createFakePort({groups: [...three, done], runs: [ended]});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['acme/api#4211']);
	await shown.screen.press('o');
	expect(shown.said()).toContain('It waits: it has started no run yet');

	await shown.screen.press('G', 'd');
	expect(shown.said()).toContain('The group is dispatched already');
	await shown.screen.press('o');
	expect(shown.shell.view.get().pane).toBe('runs');
	expect(shown.shell.list(runList).selected()?.id).toBe(183);
	await shown.screen.press('b');
	expect(shown.shell.view.get().pane).toBe('groups');
	expect(shown.shell.list(groupList).selected()?.id).toBe(0);
});

test('Enter shows the latest payload and the superseded identifiers', async () => {
	const port = createFakePort({groups: three});
	keep(port, three[2] ?? makeGroup());
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('enter');
	expect(shown.text()).toContain('  loading');
	await shown.pass(80);

	expect(shown.text()).toContain('6 events, 5 superseded');
	expect(shown.text()).toContain('Superseded, newest first');
	expect(shown.text()).toContain('000004  pull_request  guid-4');
	expect(shown.text()).not.toContain('guid-5');
	expect(shown.text()).toContain('action: "synchronize"');
	await shown.screen.press('e');
	await shown.pass(0);
	expect(shown.desktop.paged[0]).toContain('guid-5  <- runs');
	expect(shown.desktop.paged[0]).toContain('{"action": "synchronize"}');
});

test('superseded events are told by what they were about, where it is known', async () => {
	const port = createFakePort({groups: three});
	const group = three[2] ?? makeGroup();
	keep(port, group);
	const stored = port.groups.get(group.id);
	const members = stored?.members.map((member, index) =>
		index % 2 === 0 ? {...member, subject: `acme/api#7 step ${index}`} : member,
	);
	port.groups.set(group.id, {...group, members: members ?? []});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('enter');
	await shown.pass(80);

	expect(shown.text()).toContain('000004  acme/api#7 step 4');
	expect(shown.text()).toContain('000003  pull_request  guid-3');
	await shown.screen.press('e');
	await shown.pass(0);
	expect(shown.desktop.paged[0]).toContain('pull_request  guid-4  acme/api#7 step 4');
});

test('the detail stays while the next event of its group is loaded', async () => {
	const port = createFakePort({groups: three});
	const group = three[2] ?? makeGroup();
	keep(port, group);
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('enter');
	await shown.pass(80);
	const next = {...group, count: 7};
	keep(port, next);
	port.emit(groupChanged(next));
	await shown.pass(0);
	expect(shown.text()).toContain('7 events, 6 superseded');
	expect(shown.text()).not.toContain('guid-5');
	expect(shown.text()).toContain('action: "synchronize"');
	await shown.pass(80);

	expect(shown.text()).toContain('000005  pull_request  guid-5');
});

test('the events of one group are never shown as those of the next', async () => {
	const port = createFakePort({groups: three});
	for (const group of three) {
		keep(port, group);
	}

	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('enter');
	await shown.pass(80);
	expect(shown.text()).toContain('guid-4');
	await shown.screen.press('esc', 'j', 'enter');

	expect(shown.text()).toContain('acme/web#77');
	expect(shown.text()).toContain('  loading');
	expect(shown.text()).not.toContain('guid-');
});

test('/ filters groups by route, key, state and count', async () => {
	const port = createFakePort({groups: [...three, done]});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	await shown.screen.press('/');
	await shown.screen.type('count>5 state:pending');

	expect(shown.screen.lines()[2]).toContain('── count>5 state:pending ── 2 of 4 ── 3 pending');
	expect(shown.text()).not.toContain('acme/web#77');
	await shown.screen.type(' key:nothing');
	expect(shown.text()).toContain('Nothing passes the filter.');
	await shown.screen.press('esc', 'esc');
	expect(shown.text()).toContain('acme/web#77');
});

test('more than a hundred dispatched groups are counted by the totals, or at least said to be that many', async () => {
	const groups = Array.from({length: 100}, (_, index) => ({...done, id: index}));
	const port = createFakePort({groups});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	expect(shown.screen.lines()[2]).toContain('100+ dispatched today');

	const {gateway, totals} = port.getState();
	port.change({
		gateway: {...gateway, startedAt: testNow - 1000},
		totals: {...totals, groupsDispatched: 1234},
	});
	await shown.pass(100);
	expect(shown.screen.lines()[2]).toContain('1,234 dispatched today');
});

test('five thousand groups are scrolled without being drawn', async () => {
	const groups = Array.from({length: 5000}, (_, index) =>
		waiting({quiet: 10, cap: 100}, {id: index, key: `key-${index}`}),
	);
	const port = createFakePort({groups, jobs: [makeJob()]});
	await using shown = await showShell(port, wide, {pane: 'groups'});
	expect(shown.screen.lines()[2]).toContain('5,000 pending');
	await shown.screen.press('G');
	expect(shown.text()).toContain('> gh-review         key-4999');
	expect(shown.text()).toContain('morning');
	await shown.screen.press('g', 'pgdn');
	await shown.pass(250);

	expect(shown.screen.lines()).toHaveLength(36);
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});

test.for([60, 80, 100, 120, 200])(
	'at %d columns no row is wider than the screen',
	async columns => {
		const wideKey = '日本語のキー'.repeat(20);
		const port = createFakePort({
			groups: [
				waiting({quiet: 17, cap: 188}, {id: 1, key: wideKey, route: wideKey, count: 123_456}),
				{...done, key: wideKey},
			],
			jobs: [
				makeJob({name: wideKey, schedule: wideKey, lastRunId: 1_234_567}),
				makeJob({id: 'job_b', state: 'invalid', name: wideKey, problem: wideKey}),
			],
			runs: [ended],
		});
		await using shown = await showShell(port, {columns, rows: 24}, {pane: 'groups'});
		const plain = createFakePort();
		await using empty = await showShell(plain, {columns, rows: 24}, {pane: 'groups'});

		expect(shown.screen.lines()).toHaveLength(24);
		expect(shown.screen.lines()[4]).toMatch(/^> 日/);
		expect(shown.said()?.length).toBeLessThanOrEqual(columns);
		expect(shown.said()).toContain('q quit');
		expect(shown.screen.picture()).toBe(await freshPicture(shown));
		expect(empty.screen.lines()).toHaveLength(24);
	},
);

test('hostile keys, names and problems never reach the terminal as control', async () => {
	const port = createFakePort();
	// High enough to show thirty groups and thirty jobs at once.
	await using shown = await showShell(port, {columns: 120, rows: 70}, {pane: 'groups'});
	const attacks = someAttacks();
	for (let start = 0; start < attacks.length; start += 30) {
		const texts = attacks.slice(start, start + 30).map(attack => attack.slice(0, 100));
		const groups = texts.map((text, id) =>
			waiting({quiet: 10, cap: 100}, {id, key: text, route: text, event: text, latest: text}),
		);
		for (const group of groups) {
			keep(port, group);
		}

		port.change({
			groups,
			jobs: texts.map((text, id) =>
				makeJob({
					id: `${id}${text}`,
					name: text,
					profile: text,
					schedule: text,
					timeZone: text,
					deliver: text,
					state: id % 2 === 0 ? 'invalid' : 'active',
					problem: text,
				}),
			),
		});
		for (const keys of [['g'], ['enter'], ['esc', 'd'], ['esc', 'tab', 'enter']]) {
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.screen.press(...keys);
			// oxlint-disable-next-line no-await-in-loop -- one screen after the other
			await shown.pass(250);
		}

		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await shown.screen.press('esc', 'x', 'esc', 'tab');
	}

	expect(foreignSequences(shown.screen.written())).toEqual([]);
	expect(shown.screen.picture()).toBe(await freshPicture(shown));
});

test('a coalesced delivery leads to its group, and says what superseded it', async () => {
	const group = waiting({quiet: 17, cap: 188}, {id: 1, key: 'acme/api#4211', count: 2});
	const port = createFakePort({groups: [group]});
	const old = makeDelivery({receivedAt: testNow, group: 1, outcome: 'coalesced'});
	port.emit(received(old));
	await using shown = await showShell(port, wide);

	expect(shown.text()).toContain('Group  acme/api#4211');
	expect(shown.text()).toContain('pending, 2 events  o opens it');
	expect(shown.text()).toContain('superseded by abc123');
	await shown.screen.press('o');
	expect(shown.shell.view.get().pane).toBe('groups');
	expect(shown.shell.list(groupList).selected()?.id).toBe(1);
});

test('a coalesced delivery whose group is no longer listed leads to the run', async () => {
	const port = createFakePort({runs: [makeRun({id: 7, group: 1, superseded: 1})]});
	port.emit(received(makeDelivery({receivedAt: testNow, group: 1, outcome: 'coalesced'})));
	await using shown = await showShell(port, wide);
	await shown.screen.press('o');

	expect(shown.shell.view.get().pane).toBe('runs');
	expect(shown.shell.list(runList).selected()?.id).toBe(7);
});
