import {expect, test} from 'vitest';
import type {Delivery, StoredDelivery} from '../../../../source/core/delivery.ts';
import {settledMs, deliveryList} from '../../../../source/tui/entries/delivery-list.ts';
import {runList} from '../../../../source/tui/entries/lists.ts';
import {dialogRows} from '../../../helpers/dialog-rows.ts';
import {createFakePort, type FakePort} from '../../../helpers/fake-port.ts';
import {makeToolApproval} from '../../../helpers/make-approval.ts';
import {makeDelivery, makeGroup, makeRun, received} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};

const deliveryAt = (seconds: number, overrides: Partial<Delivery> = {}): Delivery =>
	makeDelivery({receivedAt: testNow + seconds * 1000, ...overrides});

/** Takes deliveries in, with a body to look at. */
function take(port: FakePort, ...deliveries: readonly Delivery[]): void {
	for (const delivery of deliveries) {
		const stored: StoredDelivery = {
			...delivery,
			headers: {'content-type': 'application/json'},
			body: new TextEncoder().encode(`{"action": "opened", "route": "${delivery.route}"}`),
		};
		port.deliveries.set(delivery.id, stored);
	}

	port.emit(...deliveries.map(delivery => received(delivery)));
}

const route = (name: string) => ({
	name,
	profile: 'default',
	source: 'dynamic' as const,
	description: '',
	events: [],
	deliver: 'log',
	mode: 'agent' as const,
	insecure: false,
});

test('at 80 columns each delivery is one row: sign, time, route, event, result, ms', async () => {
	const port = createFakePort();
	take(
		port,
		deliveryAt(0, {route: 'gh-review', event: 'pull_request.opened', durationMs: 38.4}),
		deliveryAt(1, {route: 'gh-push', event: 'push', status: 200, outcome: 'ignored:event'}),
		deliveryAt(2, {route: 'alerts', event: 'alert', status: 429, outcome: 'rate', durationMs: 0}),
		deliveryAt(3, {route: 'forms', event: '-', flags: 2}),
	);
	await using shown = await showShell(port, narrow);

	expect(shown.text()).toContain('── Traffic ── 4 ── following ──');
	const rows = readTable(shown.screen.lines(), ['time', 'route', 'subject', 'result', 'ms']);
	expect(rows.map(({sign, cells}) => [sign, ...Object.values(cells)])).toEqual([
		['', '12:00:00', 'gh-review', 'pull_request.opened', '202 accepted', '38'],
		['', '12:00:01', 'gh-push', 'push', '200 ignored:event', '3'],
		['!', '12:00:02', 'alerts', 'alert', '429 rate', '0'],
		['>⚑', '12:00:03', 'forms', '-', '202 accepted', '3'],
	]);
});

test('consecutive rejections of a route are one row with their count', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {route: 'gh-review'}));
	take(
		port,
		...Array.from({length: 48}, (_, index) =>
			deliveryAt(index, {route: 'alerts', event: 'alert', status: 429, outcome: 'rate'}),
		),
	);
	await using shown = await showShell(port, narrow);

	expect(shown.text()).toContain('429 rate ×48');
});

test('a flood between real events is one row at the time of its first, and opens to first, last and count', async () => {
	const port = createFakePort();
	for (let index = 0; index < 12; index += 1) {
		const flood = {route: 'alerts', event: '-', status: 401, outcome: 'signature'} as const;
		take(port, deliveryAt(index, flood), deliveryAt(index, {route: 'gh-review'}));
	}

	await using shown = await showShell(port, narrow);
	await shown.screen.press('g');
	expect(shown.screen.lines()[4]).toMatch(/^> {2}12:00:00 alerts +- +401 signature ×12/);
	expect(shown.screen.lines()[2]).toContain('── Traffic ── 13 ──');

	await shown.screen.press('enter');
	expect(shown.screen.lines().slice(3, 6)).toEqual([
		'>401 signature ×12 in one row',
		'  first 2026-11-20 12:00:00.000',
		'  last  2026-11-20 12:00:11.000, after 0:11',
	]);
	expect(shown.text()).toContain('The newest of them');
});

test('the detail of a flood says every reason, the newest first, and how often', async () => {
	const port = createFakePort();
	const refused = (detail: string) =>
		deliveryAt(0, {
			route: 'alerts',
			status: 401,
			outcome: 'signature',
			trace: [{step: 'signature', verdict: 'stop', detail}],
		});
	const details = ['skew -713 s', 'x', 'skew -714 s', ...'a b c d e f g h'.split(' ')];
	take(port, ...details.map(detail => refused(detail)));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('enter');
	const rows = shown.screen.lines();
	const title = rows.indexOf(' Reasons');

	expect(rows[title + 1]).toBe('      1× h');
	expect(rows[title + 9]).toBe('      3× others');
});

test('a long reason is wrapped below itself', async () => {
	const port = createFakePort();
	const detail = `${'the body was re-serialised; '.repeat(5)}end`;
	const trace = (text: string) => [{step: 'signature', verdict: 'stop', detail: text} as const];
	const refused = {route: 'alerts', status: 401, outcome: 'signature'} as const;
	take(
		port,
		...['header missing', 'header missing', detail].map(text =>
			deliveryAt(0, {...refused, trace: trace(text)}),
		),
	);
	await using shown = await showShell(port, narrow);
	await shown.screen.press('enter');
	const rows = shown.screen.lines();
	const title = rows.indexOf(' Reasons');

	expect(rows[title + 1]).toMatch(/^ {6}1× the body/);
	expect(rows[title + 2]).toMatch(/^ {9}\S/);
	expect(rows.slice(title)).toContain('      2× header missing');
});

test('requests for routes that do not exist are one row, which names the latest', async () => {
	const port = createFakePort();
	take(
		port,
		...Array.from({length: 200}, (_, index) =>
			deliveryAt(0, {route: `guess-${index}`, event: '-', status: 404, outcome: 'route'}),
		),
	);
	await using shown = await showShell(port, narrow);
	expect(shown.screen.lines()[4]).toMatch(/^> {2}12:00:00 \(several\) +- +404 route ×200/);
	await shown.screen.press('enter');

	expect(shown.text()).toContain(
		' asked for guess-199, guess-198, guess-197, guess-196, guess-195 …',
	);
});

test('a key that did not resolve shows as "accepted (key missing: {pull_request.number})"', async () => {
	const port = createFakePort();
	take(
		port,
		deliveryAt(0, {
			event: '-',
			trace: [
				{
					step: 'dispatch',
					verdict: 'pass',
					detail: 'agent run; key missing: {pull_request.number}',
				},
			],
		}),
	);
	await using shown = await showShell(port, {columns: 99, rows: 24});
	expect(shown.screen.lines()[4]).toContain('202 accepted (key missing: {pull_request.number}) ');
	await shown.screen.press('enter');

	expect(shown.text()).toContain(' ✓ dispatch   agent run; key missing: {pull_request.number}');
});

test.for([80, 120])('at %d columns a refused signature is explained in full', async columns => {
	const port = createFakePort();
	const detail = [
		'X-Hub-Signature-256: does not match',
		'matches the secret of route "gh-push"',
		'the body was re-serialised: it matches as compact JSON',
		'the clock of the sender is +412 s off',
	].join('; ');
	take(
		port,
		deliveryAt(0, {
			status: 401,
			outcome: 'signature',
			trace: [{step: 'signature', verdict: 'stop', detail}],
		}),
	);
	await using shown = await showShell(port, {columns, rows: 36});
	await shown.screen.press('enter');
	const right = shown.screen
		.lines()
		.map(row => (columns === 120 ? row.slice(70) : row))
		.join(' ');

	expect(right.replaceAll(/\s+/g, ' ')).toContain(`✗ signature ${detail}`);
});

test('from 100 columns the decision, the run and the payload stand beside the list', async () => {
	const port = createFakePort();
	const delivery = deliveryAt(0, {
		status: 200,
		outcome: 'ignored:filter',
		runId: 7,
		trace: [
			{step: 'signature', verdict: 'pass', detail: 'X-Hub-Signature-256, route secret'},
			{step: 'filter', verdict: 'stop', detail: 'draft equals false, got true'},
		],
	});
	take(port, delivery);
	port.change({runs: [makeRun({id: 7, state: 'done', answer: 'All is well.'})]});
	await using shown = await showShell(port, wide);
	await shown.pass(400);

	const right = shown.screen.lines().map(line => line.slice(70));
	expect(right).toContain(' ✓ signature  X-Hub-Signature-256, route secret');
	expect(right).toContain(' ✗ filter     draft equals false, got true');
	expect(right).toContain(' - dispatch   not reached');
	expect(right.join('\n')).toContain('#7  ✓ done');
	expect(right).toContain('  All is well.');
	expect(right).toContain(' action: "opened"');
});

test('a payload is loaded when the selection has rested for 80 ms', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {route: 'first'}), deliveryAt(1, {route: 'second'}));
	await using shown = await showShell(port, wide);

	await shown.screen.press('k');
	await shown.pass(79);
	expect(shown.text()).toContain('Payload  loading');
	await shown.pass(1);
	expect(shown.text()).toContain('route: "first"');
});

const opened = 'acme/api#7 opened · Retry the upload';

test.for([
	['running', '202 ◐ running'],
	['done', '202 ✓ done'],
	['dead', '202 ✗ dead'],
] as const)(
	'a row says what its event is about, and that its run is %s',
	async ([state, result]) => {
		const port = createFakePort();
		take(
			port,
			deliveryAt(0, {runId: 7, subject: opened}),
			deliveryAt(1, {status: 200, outcome: 'ignored:filter', event: 'push'}),
		);
		port.change({runs: [makeRun({id: 7, state})]});
		await using shown = await showShell(port, narrow);

		const rows = readTable(shown.screen.lines(), ['time', 'subject', 'result']);
		expect(rows.map(({cells}) => [cells['subject']?.slice(0, 19), cells['result']])).toEqual([
			// Without its owner: the column is narrow.
			[opened.slice('acme/'.length).slice(0, 19), result],
			['push', '200 ignored:filter'],
		]);
	},
);

test('a run that asks a person waits, also in the row of its event and beside it; a wide list has columns for both', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {runId: 7, subject: opened, event: 'push'}));
	port.change({runs: [makeRun({id: 7, state: 'running'})]});
	await using shown = await showShell(port, wide);
	await shown.screen.press('z');
	const cellsOf = () => readTable(shown.screen.lines(), ['subject', 'result', 'run'])[0]?.cells;
	expect(cellsOf()).toEqual({
		subject: `${opened}  push`,
		result: '202 accepted',
		run: '◐ running',
	});
	port.change({approvals: [makeToolApproval({run: 7})]});
	await shown.pass(1000);
	expect(cellsOf()?.['run']).toBe('! waits');
	await shown.screen.press('z');
	expect(shown.screen.lines().join('\n')).toContain('Run  #7  ! waits');
});

test('what became of an event stays with it when its run is listed no more, and its detail leads to the run', async () => {
	const port = createFakePort();
	take(
		port,
		deliveryAt(0, {outcome: 'coalesced', group: 3, work: 'superseded'}),
		deliveryAt(1, {runId: 7, work: 'dead'}),
	);
	port.change({runs: []});
	await using shown = await showShell(port, narrow);
	const rows = readTable(shown.screen.lines(), ['subject', 'result']);
	expect(rows.map(({cells}) => cells['result'])).toEqual(['202 - superseded', '202 ✗ dead']);

	await shown.screen.press('enter');
	expect(shown.text()).toContain('Run  #7  ✗ dead  o opens it');
});

test('events that wait together say so: the latest gathers, others are superseded', async () => {
	const port = createFakePort();
	const [first, latest] = [
		deliveryAt(0, {outcome: 'coalesced', group: 3}),
		deliveryAt(1, {outcome: 'coalesced', group: 3}),
	];
	take(port, first, latest);
	port.change({groups: [makeGroup({id: 3, count: 2, latest: latest.id})]});
	await using shown = await showShell(port, narrow);

	const rows = readTable(shown.screen.lines(), ['subject', 'result']);
	expect(rows.map(({cells}) => cells['result'])).toEqual(['202 - superseded', '202 ○ gathers']);
});

test('a list that follows five events a second shows their payloads, never that they load', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {route: 'r0'}));
	await using shown = await showShell(port, wide);
	await shown.pass(200);
	for (const second of [1, 2, 3, 4, 5]) {
		take(port, deliveryAt(second, {route: `r${second}`}));
		// oxlint-disable-next-line no-await-in-loop -- one event after the other
		await shown.pass(200);
		expect(shown.text()).toContain(`route: "r${second}"`);
		expect(shown.text()).not.toContain('loading');
	}

	// Twenty a second: the one whose payload is there, with its own decision.
	for (const second of [10, 11, 12, 13, 14, 15, 16, 17]) {
		take(port, deliveryAt(second, {route: `r${second}`}));
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.pass(50);
		const [, name = ''] = /route: "(r\d+)"/.exec(shown.text()) ?? [];
		expect(shown.screen.lines()[3]?.slice(70)).toContain(`  ${name}  `);
		expect(shown.text()).not.toContain('loading');
	}
});

test('while events pour in, a payload that was loaded waits for the next frame, and has none of its own', async () => {
	const port = createFakePort();
	port.emit({
		type: 'health-sampled',
		at: testNow,
		health: {loopDelayP99Ms: 1, rssBytes: 1e8, requestsPerSecond: 200},
	});
	take(port, deliveryAt(0, {route: 'r0'}));
	await using shown = await showShell(port, wide);
	await shown.pass(1000);
	let told = 0;
	const stop = shown.shell.loads.subscribe(() => {
		told += 1;
	});
	for (const second of [1, 2, 3, 4, 5]) {
		take(port, deliveryAt(second, {route: `r${second}`}));
		// oxlint-disable-next-line no-await-in-loop -- one event after the other
		await shown.pass(200);
	}

	// Once with each look at the data.
	expect(told).toBeLessThanOrEqual(6);
	stop();

	await shown.pass(2800);
	expect(shown.text()).toContain('route: "r5"');
	await shown.screen.press('k');
	await shown.pass(100);
	expect(shown.text()).toContain('route: "r4"');
});

test('moving pauses, and what came since is counted: "paused · 2 newer, f to follow"', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0), deliveryAt(1), deliveryAt(2));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('k');
	take(port, deliveryAt(3), deliveryAt(4));
	await shown.pass(100);

	expect(shown.screen.lines()[2]).toContain('── paused · 2 newer, f to follow ──');
	expect(shown.screen.lines()[5]).toMatch(/^> {2}12:00:01/);

	await shown.screen.press('f');
	expect(shown.screen.lines()[2]).toContain('following');
	expect(shown.screen.lines()[8]).toMatch(/^> {2}12:00:04/);

	await shown.screen.press('space');
	expect(shown.screen.lines()[2]).toContain('paused, f to follow');
	await shown.screen.press('space');
	expect(shown.screen.lines()[2]).toContain('following');
});

test('/ filters while it is typed; Esc clears, then leaves', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {route: 'gh-review'}), deliveryAt(1, {route: 'alerts'}));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('/');
	await shown.screen.type('route:gh ms>x');

	expect(shown.screen.lines()[2]).toContain('route:gh ms>x  ✗ "x" is not a number here ── 1 of 2');
	expect(shown.said()).toContain('/ route:gh ms>x');
	expect(shown.text()).not.toContain('alerts');

	await shown.screen.press('esc');
	expect(shown.text()).toContain('alerts');
	expect(shown.shell.view.get().field).toBe('filter');
	await shown.screen.press('esc');
	expect(shown.shell.view.get().field).toBeUndefined();
});

test('a key that no filter knows is named with the known ones, and hides nothing', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {route: 'gh-review'}), deliveryAt(1, {route: 'alerts'}));
	await using shown = await showShell(port, {columns: 130, rows: 24});
	await shown.screen.press('/');
	await shown.screen.type('foo:bar');

	expect(shown.screen.lines()[2]).toContain(
		'foo:bar  ✗ Unknown filter key foo: use route:, event:, subject:, status:, outcome:, id:, ms:',
	);
	expect(shown.text()).toContain('gh-review');
	expect(shown.text()).toContain('alerts');
});

test('a filter keeps the selected row, also when it fits nothing for a moment', async () => {
	const port = createFakePort();
	take(port, ...Array.from({length: 9}, (_, index) => deliveryAt(index, {route: `r${index}`})));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('k', 'k', '/');
	await shown.screen.type('xyz');
	await shown.screen.press('backspace', 'backspace', 'backspace', 'enter');

	expect(shown.shell.list(deliveryList).selected()?.delivery.route).toBe('r6');
});

test('Enter opens the detail, Esc goes back and never quits', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('enter');

	expect(shown.text()).toContain('Decision');
	await shown.screen.press('esc', 'esc', 'esc');
	expect(shown.text()).toContain('time     route');
	expect(shown.desktop.left).toBe(0);
});

test('a search in the detail goes from match to match', async () => {
	const port = createFakePort();
	const delivery = deliveryAt(0);
	take(port, delivery);
	const stored = port.deliveries.get(delivery.id);
	const list = Array.from({length: 100}, (_, index) => (index % 40 === 39 ? 'needle' : 'straw'));
	port.deliveries.set(delivery.id, {
		...(stored as StoredDelivery),
		body: new TextEncoder().encode(JSON.stringify(list)),
	});
	await using shown = await showShell(port, narrow);
	await shown.screen.press('enter');
	await shown.pass(80);
	await shown.screen.press('/');
	await shown.screen.type('needle');
	await shown.screen.press('enter', 'n');

	expect(shown.screen.lines()[3]).toBe('> - "needle"');
	expect(shown.text()).not.toContain('On from');
	const first = shown.shell.view.get().detailCursor;
	await shown.screen.press('n');
	expect(shown.screen.lines()[3]).toBe('> - "needle"');
	expect(shown.shell.view.get().detailCursor).toBe(first + 40);
	await shown.screen.press('n');
	expect(shown.text()).toContain('On from the first row');
	expect(shown.shell.view.get().detailCursor).toBe(first);
	await shown.screen.press('N');
	expect(shown.text()).toContain('On from the last row');
	expect(shown.shell.view.get().detailCursor).toBe(first + 40);
	await shown.screen.press('/');
	await shown.screen.type('-less');
	await shown.screen.press('enter', 'n');
	expect(shown.text()).toContain('No further match');
});

test.for(['dark', 'light', 'mono'] as const)(
	'whatever row of a detail keys act on has the mark in column 0 and moves no text: %s',
	async theme => {
		const port = createFakePort();
		take(port, deliveryAt(0));
		await using shown = await showShell(port, narrow, {theme});
		await shown.screen.press('enter');
		await shown.pass(80);
		const body = () => shown.screen.lines().slice(3, -1);
		const textOf = () => body().map(row => row.slice(1));
		const before = textOf();
		const rows = shown.shell.detail.lines();
		expect(rows.some(row => row.length === 0)).toBe(true);

		for (let at = 0; at < Math.min(rows.length, 18); at += 1) {
			expect(body().map(row => row.slice(0, 1))[at]).toBe('>');
			expect(body().filter(row => row.startsWith('>'))).toHaveLength(1);
			expect(textOf()).toEqual(before);
			// oxlint-disable-next-line no-await-in-loop -- one row after the other
			await shown.screen.press('j');
		}
	},
);

test('r says what a replay does and asks; y does it', async () => {
	const port = createFakePort();
	port.answers.plan = {
		route: 'gh-review',
		effects: ['starts an agent run', 'posts a comment to acme/api#7'],
		needsConfirmation: true,
	};
	const delivery = deliveryAt(0);
	take(port, delivery);
	await using shown = await showShell(port, narrow);
	await shown.screen.press('r');
	await shown.pass(0);

	expect(shown.text()).toContain('posts a comment to acme/api#7');
	await shown.screen.press('enter');
	expect(port.calls).toEqual([]);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'replay', args: [delivery.id, {}]}]);
	expect(shown.shell.view.get().toast?.text).toBe(
		`Replayed ${delivery.id.slice(-6)} to gh-review (202): starts an agent run, posts a comment to acme/api#7`,
	);
});

const harmless = {route: 'gh-review', effects: [], needsConfirmation: false};

test('r replays a chosen row at once when nothing but the log would change', async () => {
	const port = createFakePort();
	port.answers.plan = harmless;
	take(port, deliveryAt(0), deliveryAt(1));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('k');
	await shown.pass(settledMs);
	await shown.screen.press('r');
	await shown.pass(0);

	expect(port.calls.map(({name}) => name)).toEqual(['replay']);
});

test('while the list follows, r asks for what was under the cursor when it was pressed', async () => {
	const port = createFakePort();
	port.answers.plan = harmless;
	const meant = deliveryAt(0, {route: 'gh-review', subject: 'acme/api#7 Fix flaky test'});
	take(port, meant);
	await using shown = await showShell(port, narrow);
	await shown.pass(1000);
	await shown.screen.press('r');
	take(port, deliveryAt(1, {route: 'alerts'}));
	await shown.pass(100);

	expect(port.calls).toEqual([]);
	expect(dialogRows(shown.screen.lines())).toContainEqual(
		expect.stringContaining('gh-review  acme/api#7 Fix flaky test'),
	);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'replay', args: [meant.id, {}]}]);
});

test('a text that is pasted without marks over a list that follows replays nothing', async () => {
	const port = createFakePort();
	port.answers.plan = harmless;
	take(port, deliveryAt(0));
	await using shown = await showShell(port, narrow);
	await shown.pass(1000);
	await shown.screen.type('rm -rf /');
	await shown.pass(1000);

	expect(port.calls).toEqual([]);
});

test('r asks for half a second after another row came under the cursor', async () => {
	const port = createFakePort();
	port.answers.plan = harmless;
	take(port, deliveryAt(0), deliveryAt(1));
	await using shown = await showShell(port, narrow);
	await shown.pass(1000);
	await shown.screen.press('k');
	await shown.pass(settledMs - 1);
	await shown.screen.press('r');
	await shown.pass(0);

	expect(shown.shell.view.get().overlay?.kind).toBe('confirm');
	await shown.screen.press('esc', 'r');
	await shown.pass(1);
	expect(port.calls).toEqual([]);
	await shown.screen.press('esc', 'r');
	await shown.pass(0);
	expect(port.calls.map(({name}) => name)).toEqual(['replay']);
});

test.for([true, false])('t on a list that follows asks: %s', async isFollowing => {
	const port = createFakePort({routes: [route('gh-review'), route('a')]});
	port.answers.plan = {...harmless, route: 'a'};
	take(port, deliveryAt(0, {subject: 'acme/api#7'}), deliveryAt(1, {subject: 'acme/api#8'}));
	await using shown = await showShell(port, narrow);
	await shown.screen.press(...(isFollowing ? [] : ['k']));
	await shown.pass(settledMs);
	await shown.screen.press('t');
	expect(shown.text()).toContain(`gh-review  acme/api#${isFollowing ? 8 : 7}`);
	await shown.screen.press('1');
	await shown.pass(0);

	expect(shown.shell.view.get().overlay?.kind).toBe(isFollowing ? 'confirm' : undefined);
	expect(port.calls).toHaveLength(isFollowing ? 0 : 1);
});

test('a replay has a sign of its own in the list', async () => {
	const port = createFakePort();
	const first = deliveryAt(0);
	take(port, first, deliveryAt(1, {replayOf: first.id}), deliveryAt(2));
	await using shown = await showShell(port, narrow);
	const rows = readTable(shown.screen.lines(), ['time', 'route', 'subject', 'result', 'ms']);

	expect(rows.map(({sign}) => sign)).toEqual(['', '↶', '>']);
});

test('R replays what the editor saved, and nothing when it was left unchanged', async () => {
	const port = createFakePort();
	port.answers.plan = {route: 'gh-review', effects: [], needsConfirmation: false};
	const delivery = deliveryAt(0);
	take(port, delivery);
	await using shown = await showShell(port, narrow);
	await shown.screen.press('R');
	await shown.pass(0);

	expect(shown.desktop.edited[0]).toContain('"action": "opened"');
	expect(port.calls).toEqual([]);

	shown.desktop.next = '{"action": "closed"}';
	await shown.screen.press('R');
	await shown.pass(0);
	expect(port.calls).toEqual([]);
	expect(shown.text()).toContain('With the body as it was edited.');
	expect(shown.text()).toContain('Nothing but the log changes.');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([
		{name: 'replay', args: [delivery.id, {body: '{"action": "closed"}'}]},
	]);
});

test('t chooses another route, says what it would do there, and sends it there', async () => {
	const port = createFakePort({routes: [route('gh-review'), route('a'), route('b')]});
	const delivery = deliveryAt(0);
	take(port, delivery);
	await using shown = await showShell(port, narrow);
	await shown.screen.press('t');
	expect(shown.text()).toContain(`── Replay ${delivery.id.slice(-6)} to ──`);
	expect(shown.text()).toContain('> 1  a');
	port.answers.plan = {route: 'b', effects: ['posts to #ops'], needsConfirmation: true};
	await shown.screen.press('2');
	await shown.pass(0);
	expect(shown.text()).toContain('posts to #ops');
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'replay', args: [delivery.id, {route: 'b'}]}]);
});

test.for(['route', 'method', 'size', 'signature', 'rate'] as const)(
	'what was refused as %s has no payload: the footer offers no replay, and r says why',
	async outcome => {
		const port = createFakePort();
		port.emit(received(deliveryAt(0, {status: 401, outcome})));
		await using shown = await showShell(port, wide);
		expect(shown.said()).not.toContain('replay');
		await shown.screen.press('R');

		expect(shown.text()).toContain('The payload of this delivery was not kept');
		expect(shown.desktop.edited).toEqual([]);
	},
);

test('once the journal answers without a payload the footer offers no replay', async () => {
	const port = createFakePort();
	const delivery = deliveryAt(0, {status: 200, outcome: 'ignored:event'});
	port.deliveries.set(delivery.id, {...delivery, headers: {}});
	port.emit(received(delivery));
	await using shown = await showShell(port, wide);
	expect(shown.said()).toContain(' r replay  R edit+replay ');
	await shown.pass(400);

	expect(shown.said()).not.toContain('replay');
	await shown.screen.press('r');
	expect(shown.text()).toContain('The payload of this delivery was not kept');
	expect(port.calls).toEqual([]);
});

test('t says when there is no other route', async () => {
	const port = createFakePort({routes: [route('gh-review')]});
	take(port, deliveryAt(0));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('t');

	expect(shown.said()).toContain('There is no other route');
});

test('an edited payload can go to another route: R, then t in the question', async () => {
	const port = createFakePort({routes: [route('gh-review'), route('a')]});
	const delivery = deliveryAt(0);
	take(port, delivery);
	await using shown = await showShell(port, narrow);
	shown.desktop.next = '{"action": "closed"}';
	await shown.screen.press('R');
	await shown.pass(0);
	expect(shown.text()).toContain('y replay   t to another route   Esc leave it');
	expect(shown.said()).toContain('t to another route');
	await shown.screen.press('t', 'enter');
	await shown.pass(0);
	await shown.screen.press('y');
	await shown.pass(0);

	expect(port.calls).toEqual([
		{name: 'replay', args: [delivery.id, {body: '{"action": "closed"}', route: 'a'}]},
	]);
});

test('a replay that cannot be planned says why', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0));
	await using shown = await showShell(
		{...port, planReplay: async () => Promise.reject(new Error('Cannot replay: no body is kept'))},
		narrow,
	);
	await shown.screen.press('r');
	await shown.pass(0);

	expect(shown.said()).toBe(' Cannot replay: no body is kept');
});

test('a choice of many routes scrolls', async () => {
	const routes = Array.from({length: 40}, (_, index) => route(`route-${index}`));
	const port = createFakePort({routes});
	await using shown = await showShell(port, narrow);
	await shown.screen.press('T', ...Array.from({length: 30}, () => 'down'));

	expect(dialogRows(shown.screen.lines())).toContainEqual(expect.stringMatching(/^> +route-30 /));
	await shown.screen.press('enter');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'sendTestEvent', args: ['route-30']}]);
});

/** Takes in ten events of which three are drafts, and opens the latest. */
async function showDrafts() {
	const port = createFakePort();
	for (let index = 0; index < 10; index += 1) {
		const delivery = deliveryAt(index);
		take(port, delivery);
		const body = {action: 'opened', pull_request: {draft: index % 4 === 1, title: `n ${index}`}};
		port.deliveries.set(delivery.id, {
			...delivery,
			headers: {},
			body: new TextEncoder().encode(JSON.stringify(body)),
		});
	}

	const shown = await showShell(port, wide);
	await shown.pass(400);
	return shown;
}

test('s makes a filter of the field under the cursor, and counts the past events that it would have passed', async () => {
	await using shown = await showDrafts();
	await shown.screen.press('s');
	expect(shown.text()).toContain('> action: "opened"');
	expect(shown.said()).toContain('j k to a field, then s once more');
	await shown.screen.press('j', 'j', 's');
	await shown.pass(0);

	expect(shown.text()).toContain('── Filter from a field ──');
	expect(shown.text()).toContain('pull_request.draft equals true');
	expect(shown.text()).toContain('Would pass 3 of the last 10 events of gh-review.');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['- field: "pull_request.draft"\n  equals: true\n']);
});

test.for([
	['j', '"field": "action"'],
	['x', '- field: "action"\n  not_equals: "opened"'],
] as const)('s %s copies the filter as %s', async ([key, text]) => {
	await using shown = await showDrafts();
	await shown.screen.press('s', 's');
	await shown.pass(0);
	await shown.screen.press(key);
	await shown.pass(0);

	expect(shown.desktop.copied[0]).toContain(text);
});

test('s on a row without a field goes to the next one that has one', async () => {
	await using shown = await showDrafts();
	await shown.screen.press('enter', 's');

	expect(shown.text()).toContain('> action: "opened"');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('s without a JSON payload says so', async () => {
	const port = createFakePort();
	const delivery = deliveryAt(0);
	take(port, delivery);
	port.deliveries.set(delivery.id, {
		...delivery,
		headers: {},
		body: new TextEncoder().encode('no json'),
	});
	await using shown = await showShell(port, narrow);
	await shown.screen.press('s');
	expect(shown.said()).toContain('The payload is loading: s once more');
	await shown.pass(80);
	await shown.screen.press('s');

	expect(shown.said()).toContain('No field of a JSON payload stands below');
});

test('the copy menu has the command that subscribes to such events', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {event: 'pull_request.opened'}));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('y', 's');
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([
		"svc webhook subscribe pull_request-opened --events 'pull_request.opened' --prompt 'Event {event_type}: {__raw__}'",
	]);
});

test('o on a duplicate goes to the delivery that holds its identifier', async () => {
	const port = createFakePort();
	const first = deliveryAt(0, {route: 'hook'});
	const duplicate = (seconds: number, detail: string) =>
		deliveryAt(seconds, {
			status: 200,
			outcome: 'duplicate',
			trace: [{step: 'duplicate', verdict: 'stop', detail}],
		});
	take(
		port,
		first,
		duplicate(1, `held by delivery ${first.id}`),
		duplicate(2, `same body as delivery ${first.id}`),
	);
	await using shown = await showShell(port, wide);
	expect(shown.text()).toContain(`Duplicate  of ${first.id.slice(-6)}  o goes there`);
	for (const row of [[], ['G', 'k']]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await shown.screen.press(...row, 'o');
		expect(shown.shell.list(deliveryList).selected()?.delivery.id).toBe(first.id);
	}
});

test('the copy menu copies what was selected when it opened', async () => {
	const port = createFakePort();
	const delivery = deliveryAt(0, {route: 'first'});
	take(port, delivery);
	await using shown = await showShell(port, narrow);
	await shown.screen.press('y');
	take(port, deliveryAt(1, {route: 'second'}));
	await shown.pass(100);
	await shown.screen.press('i');
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([delivery.id]);
	expect(shown.said()).toBe(' delivery id: copied by OSC 52');
});

test.for([
	['b', '{"action": "opened", "route": "gh-review"}'],
	['h', 'content-type: application/json'],
	['d', 'gh-review pull_request 202 accepted'],
	['c', `"X-Webhook-Signature: $SIG"`],
	['j', '"outcome":"accepted"'],
] as const)('y %s copies %s', async ([key, text]) => {
	const port = createFakePort();
	take(port, deliveryAt(0));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('y', key);
	await shown.pass(0);

	expect(shown.desktop.copied[0]).toContain(text);
});

test('T sends a test event to the route of the selected row', async () => {
	const port = createFakePort({routes: [route('a'), route('b')]});
	take(port, deliveryAt(0, {route: 'b'}));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('T');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'sendTestEvent', args: ['b']}]);
});

test('T offers a choice when there are several routes and none is selected', async () => {
	const port = createFakePort({routes: [route('a'), route('b')]});
	await using shown = await showShell(port, narrow);
	await shown.screen.press('T');
	expect(shown.text()).toContain('Send a test event to');
	await shown.screen.press('2');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'sendTestEvent', args: ['b']}]);
});

test('a command that fails says why, and the interface goes on', async () => {
	const port = createFakePort({routes: [route('a')]});
	port.answers.failure = new Error('Cannot send: \u001b[31mrefused');
	await using shown = await showShell(port, narrow);
	await shown.screen.press('T');
	await shown.pass(0);

	expect(shown.said()).toBe(' Cannot send: ␛[31mrefused');
});

test('a paused list is drawn twice a second, one that follows ten times', async () => {
	const port = createFakePort();
	port.emit(received(makeDelivery()));
	await using shown = await showShell(port, narrow);
	const framesOf = async (ms: number) => {
		let frames = 0;
		const stop = shown.shell.feed.subscribe(() => {
			frames += 1;
		});
		for (let passed = 0; passed < ms; passed += 10) {
			port.emit(received(makeDelivery()));
			shown.clock.advance(10);
		}

		stop();
		await shown.pass(0);
		return frames;
	};

	await framesOf(1000);
	expect(await framesOf(1000)).toBe(10);
	await shown.screen.press('space');
	await framesOf(1000);
	expect(await framesOf(1000)).toBe(2);
	expect(shown.text()).toContain('newer, f to follow');
	await shown.screen.press('f');
	await framesOf(1000);
	expect(await framesOf(1000)).toBe(10);
});

test('while the receiver starts, the pane says so', async () => {
	const port = createFakePort({routes: [route('gh-review')], webhook: {state: 'starting'}});
	await using shown = await showShell(port, narrow);

	expect(shown.text()).toContain('◐ The receiver is starting.');
	expect(shown.text()).not.toContain('No deliveries yet.');
});

test('without deliveries the pane says where to send one, and how', async () => {
	const port = createFakePort({routes: [route('gh-review')]});
	await using shown = await showShell(port, narrow);

	expect(shown.text()).toContain('No deliveries yet.');
	expect(shown.text()).toContain('POST to http://127.0.0.1:8644/webhooks/gh-review');
	expect(shown.text()).toContain('y copies a signed curl line, T sends a test event.');

	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['curl http://127.0.0.1:8644/webhooks/gh-review']);
});

test('a run that has no target yet goes nowhere', async () => {
	const port = createFakePort({runs: [makeRun({id: 7, target: ''})]});
	take(port, deliveryAt(0, {runId: 7}));
	await using shown = await showShell(port, wide);

	expect(shown.text()).toMatch(/Run {2}#7 {2}○ queued {2}o opens it/);
});

test('e opens the payload in the pager, o the run', async () => {
	const port = createFakePort();
	take(port, deliveryAt(0, {runId: 7}));
	port.change({runs: [makeRun({id: 7})]});
	await using shown = await showShell(port, narrow);
	await shown.screen.press('e');
	await shown.pass(0);
	expect(shown.desktop.paged[0]).toContain('"action": "opened"');

	await shown.screen.press('o');
	expect(shown.shell.view.get().pane).toBe('runs');
	expect(shown.shell.list(runList).selected()?.id).toBe(7);
});

test('y says of a delivery that is gone from the journal that there is nothing to copy', async () => {
	const port = createFakePort();
	port.emit(received(deliveryAt(0)));
	await using shown = await showShell(port, narrow);
	await shown.screen.press('y', 'b');
	await shown.pass(0);

	expect(shown.said()).toContain('That delivery is no longer stored');
	expect(shown.desktop.copied).toEqual([]);
});
