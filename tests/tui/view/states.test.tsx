import {expect, test} from 'vitest';
import type {GatewayState} from '../../../source/core/state.ts';
import {dialogRows} from '../../helpers/dialog-rows.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeServer} from '../../helpers/make-server.ts';
import {makeDelivery, makeJob, makeRun, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const queue = {
	runs: [
		makeRun({id: 1, state: 'running'}),
		makeRun({id: 2, state: 'delivering'}),
		makeRun({id: 3, state: 'running'}),
		makeRun({id: 4, state: 'queued', nextAttemptAt: testNow + 60_000}),
		...Array.from({length: 12}, (_, index) => makeRun({id: 5 + index, state: 'queued'})),
	],
	approvals: [makeToolApproval({run: 3})],
} as const;

const troubled = (more: Partial<GatewayState> = {}) => {
	const port = createFakePort({
		...more,
		webhook: {state: 'refused', code: 'EADDRINUSE', reason: 'port 8644 is in use', since: testNow},
		api: {state: 'listening', url: 'http://127.0.0.1:8642'},
		keys: [],
		platforms: [
			{name: 'slack', state: 'failed', reason: 'invalid_auth'},
			{name: 'smtp', state: 'connected'},
		],
		servers: [makeServer({name: 'crm', status: 'needs login', reason: 'nobody has logged in'})],
		jobs: [makeJob({state: 'invalid'}), makeJob({id: 'other'})],
		modelProblem: 'ANTHROPIC_API_KEY is not set',
		journal: {deliveries: 4812, runs: 183, runsToDecide: 0},
	});
	for (let index = 0; index < 20; index += 1) {
		port.emit(
			received(
				makeDelivery({receivedAt: testNow - index * 60_000, status: index % 5 === 0 ? 400 : 202}),
			),
		);
	}

	port.emit({
		type: 'health-sampled',
		at: testNow,
		health: {loopDelayP99Ms: 240, rssBytes: 118e6, requestsPerSecond: 1, requestP95Ms: 41},
	});
	return port;
};

test('H says of each part how it stands and what to do about it', async () => {
	await using shown = await showShell(troubled(queue), {columns: 120, rows: 44});
	await shown.screen.press('H');
	const rows = dialogRows(shown.screen.lines()).map(row => row.trim().replaceAll(/\s+/g, ' '));

	expect(rows).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/^gateway ● runs process 4242.*, profile default$/),
			'receiver ✗ cannot listen since Nov 20 12:00',
			'port 8644 is in use. r tries again, in any pane.',
			'chat API ● listens http://127.0.0.1:8642/v1',
			'There is no key, so everybody is refused: 9, then a.',
			expect.stringMatching(/^last hour ·+█{10} 20 requests$/),
			'answers ! 80 % ok 4 of 20 refused, 401 and 404 aside, p95 41 ms',
			'model ✗ cannot be used',
			'ANTHROPIC_API_KEY is not set',
			'slack ✗ failed',
			'invalid_auth. See platforms.slack in config.yaml; svc platforms test slack',
			'asks it now.',
			'smtp ● connected',
			'runs ● 2 at work 13 queued, 1 wait for you',
			'12 for a worker, 1 for the rate limit. runs.concurrency in config.yaml',
			'says how many work at once. ! shows what they ask; other runs go on',
			'meanwhile.',
			'tools ! wait for you 1 needs login',
			'crm: nobody has logged in. 3 shows them all.',
			'jobs ! 1 invalid of 2',
			'journal 4,812 deliveries, 183 runs',
			'loop delay ! 240 ms',
			'memory ● 118 MB',
		]),
	);
	// What has no part of its own, then the parts, the worst first; nothing twice.
	expect(rows.slice(1, 5)).toEqual([
		'! github-tools wants create_issue for run #3 · denies in 4:31 · ! to review',
		'! crm needs a login: 2 runs are under way without it · see Logins',
		'',
		'receiver ✗ cannot listen since Nov 20 12:00',
	]);
	expect(rows.filter(row => row.includes('port 8644 is in use'))).toHaveLength(1);
	expect(rows.findIndex(row => row.startsWith('slack ✗'))).toBeLessThan(
		rows.findIndex(row => row.startsWith('gateway ●')),
	);
	await shown.screen.press('H');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('the store that gateways share and its members are told of as by "svc gateway status"', async () => {
	const members = [
		{node: 'east', isGone: false, leases: 2},
		{node: 'west', isGone: true, leases: 0},
	];
	const port = createFakePort({cluster: members});
	const seen = (ms: number) => new Date(testNow - ms).toISOString();
	const status = async () => ({
		...(await createFakePort().status()),
		store: {kind: 'postgres', ok: true} as const,
		sharing: {
			notes_lag_ms: 300,
			queue_by_route: [{profile: 'default', route: 'hook', queued: 3}],
			differences: [{node: 'west', keys: ['runs.max_steps']}],
		},
		cluster: {
			members: [
				{node: 'east', since: seen(3_600_000), seen: seen(4000), leases: 2},
				{node: 'west', since: seen(3_600_000), seen: seen(240_000), leases: 0},
			],
		},
	});
	await using shown = await showShell({...port, status}, {columns: 80, rows: 40});
	expect(shown.screen.lines()[0]).toContain('! 1 gateway gone');
	await shown.screen.press('H');
	await shown.pass(0);
	const rows = () =>
		dialogRows(shown.screen.lines()).map(row => row.trim().replaceAll(/\s+/g, ' '));
	expect(rows()).toEqual(
		expect.arrayContaining([
			'store ● PostgreSQL',
			'notes ● heard 0.3 s late at most, in the last minute',
			'queue hook: 3 runs waiting',
			'member ● east: 2 runs at work, seen 4 s ago, since Nov 20 11:00',
			'member ! west: gone, seen 4 min ago, since Nov 20 11:00',
			'differs ! west is configured otherwise than this one',
		]),
	);
	port.emit({type: 'store-failing', at: testNow, reason: 'Cannot reach it'});
	port.emit({type: 'cluster-changed', at: testNow, members, notesLagMs: 3000});
	await shown.pass(1000);
	expect(rows()).toContain('store ✗ PostgreSQL, which cannot be used now since Nov 20 12:00');
	expect(shown.screen.lines()[0]).toContain(
		'! database away 1 gateway gone notes 3 s late'.replaceAll(/ (?=1|notes)/g, '  '),
	);
});

test('a model that does not answer is told of in every pane: what fails, since when, and why', async () => {
	const reason =
		'Cannot reach model "house-1" of openai-compatible at 127.0.0.1:8080: is it running';
	const model = {provider: 'openai-compatible', name: 'house-1', origin: 'configured'} as const;
	const port = createFakePort({model});
	port.emit({type: 'model-silent', at: testNow, reason});
	await using shown = await showShell(port, {columns: 80, rows: 24});
	expect(shown.screen.lines()[0]).toContain('! runs fail');
	expect(shown.screen.lines()[2]).toMatch(
		/^✗ runs fail since 12:00:00: Cannot reach model "house-1"/,
	);
	await shown.screen.press('H');
	const rows = dialogRows(shown.screen.lines()).map(row => row.trim().replaceAll(/\s+/g, ' '));
	expect(rows.slice(1, 4).join(' ')).toContain(
		'model ✗ does not answer house-1 (configured), since Nov 20 12:00 Cannot reach model',
	);
	port.emit({type: 'model-answers', at: testNow});
	await shown.pass(0);
	expect(shown.text()).toContain('● answers');
	await shown.screen.press('H');
	expect(shown.text()).not.toContain('runs fail');
});

test('the palette knows it as /status, and on the smallest screen it scrolls to its end', async () => {
	await using shown = await showShell(troubled(), {columns: 60, rows: 16});
	await shown.screen.press(':');
	await shown.screen.type('/status');
	await shown.screen.press('enter');
	expect(shown.text()).toContain('── States ──');
	expect(shown.text()).not.toContain('memory');
	await shown.screen.press(...Array.from({length: 30}, () => 'j'));

	expect(shown.text()).toContain('memory');
	expect(shown.screen.lines()).toHaveLength(16);
	await shown.screen.press(...Array.from({length: 60}, () => 'j'));
	const end = shown.text();
	await shown.screen.press('k');
	expect(shown.text()).not.toBe(end);
});

test('the status row draws the last hour, which is the first to go, and warns when a tenth is refused', async () => {
	await using shown = await showShell(troubled(), {columns: 140, rows: 24});
	expect(shown.screen.lines()[0]).toContain('········████ 1h  ok 80%');
	const column = shown.screen.lines()[0]?.indexOf('ok 80%') ?? -1;
	expect(shown.screen.cell(0, column).foreground).toBe('172');
	await shown.resize({columns: 60, rows: 24});

	expect(shown.screen.lines()[0]).not.toContain('1h');
	expect(shown.screen.lines()[0]).toContain('ok 80%');
});

test('H names the setting that turns the receiver on, and the one of the chat API', async () => {
	const port = createFakePort({webhook: {state: 'disabled'}, api: {state: 'disabled'}});
	await using shown = await showShell(port, {columns: 120, rows: 40});
	await shown.screen.press('H');
	expect(shown.text()).toContain('platforms.webhook.enabled in config.yaml turns it on.');
	expect(shown.text()).toContain(' api.enabled in config.yaml turns it on.');
});

test('H says which chats alerts reach, and that no chat is told where there are none', async () => {
	const port = createFakePort({alerts: []});
	await using shown = await showShell(port, {columns: 120, rows: 40});
	await shown.screen.press('H');
	expect(shown.text()).toMatch(/alerts +○ none +no chat is told when something needs a person/);
	expect(shown.text()).toContain('svc help alerts');

	const alerts = [
		{platform: 'telegram', chat: '12345', on: ['dead', 'login'], sentAt: testNow},
		{platform: 'slack', on: ['approval'], problem: 'invalid_auth'},
	] as const;
	port.emit({
		type: 'alerts-changed',
		at: testNow,
		alerts: alerts.map(one => ({...one, on: [...one.on]})),
	});
	await shown.pass(1000);
	expect(shown.text()).toMatch(/alerts +● telegram 12345 +dead, login, last at Nov 20 12:00/);
	expect(shown.text()).toMatch(/alerts +! slack home channel +approval/);
	expect(shown.text()).toContain('invalid_auth');
});

test('a queue of runs stands in the status row, a few that wait do not', async () => {
	const port = troubled(queue);
	await using shown = await showShell(port, {columns: 160, rows: 30});
	expect(shown.screen.lines()[0]).toContain('  13 queued  ');

	port.change({runs: Array.from({length: 9}, (_, id) => makeRun({id, state: 'queued'}))});
	await shown.pass(1000);
	expect(shown.screen.lines()[0]).not.toContain('queued');
});

test('the status row, H and the head of the runs say one number, as the gateway counts it, and why they wait', async () => {
	const port = troubled(queue);
	await using shown = await showShell(port, {columns: 160, rows: 44}, {pane: 'runs'});
	port.emit({
		type: 'queue-counted',
		at: testNow,
		queue: {
			waits: {worker: 1081, rateLimit: 62, login: 3, retry: 0},
			oldestDueAt: testNow - 50_000,
			places: {taken: 4, all: 4},
		},
	});
	await shown.pass(1000);
	expect(shown.screen.lines()[0]).toContain('  1,146 queued  ');
	expect(shown.text()).toContain('── 1,146 queued · 4 of 4 at work ');
	await shown.screen.press('H');
	const rows = dialogRows(shown.screen.lines()).map(row => row.trim().replaceAll(/\s+/g, ' '));
	expect(rows.join('|')).toContain('|runs ● 4 of 4 at work 1,146 queued, 1 wait for you|');
	expect(rows.join(' ')).toContain(
		'1,081 for a worker (the oldest for 0:50), 62 for the rate limit, 3 for a login.',
	);
});
