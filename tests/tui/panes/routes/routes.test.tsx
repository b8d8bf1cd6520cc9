import {expect, test} from 'vitest';
import type {RouteView} from '../../../../source/core/config-view.ts';
import type {RouteFacts} from '../../../../source/core/route-editor.ts';
import {deliveryList} from '../../../../source/tui/entries/delivery-list.ts';
import {routeList} from '../../../../source/tui/entries/lists.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, makeSum, received} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

const route = (overrides: Partial<RouteView>): RouteView => ({
	name: 'gh-review',
	profile: 'default',
	source: 'dynamic',
	description: '',
	events: ['pull_request'],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
	...overrides,
});

const routes: readonly RouteView[] = [
	route({}),
	route({
		name: 'alerts',
		mode: 'coalesce',
		coalesceKey: '{host}',
		windowMs: 30_000,
		maxWaitMs: 300_000,
		deliver: 'slack',
	}),
	route({name: 'nightly', mode: 'cron_job', cronJob: 'digest'}),
	route({name: 'forms', mode: 'deliver_only', deliver: 'email'}),
	route({name: 'deploy', profile: 'ops', signature: 'stripe', concurrency: 1, overflow: 'queue'}),
];

test('each route says what becomes of its events; one of another profile shows its address', async () => {
	await using shown = await showShell(createFakePort({routes}), narrow, {pane: 'routes'});

	const rows = readTable(shown.screen.lines(), ['name', 'events', 'deliver']);
	expect(rows.map(({cells}) => [cells['name'], cells['deliver']])).toEqual([
		['gh-review', 'log'],
		['alerts', 'slack per {host}'],
		['nightly', 'cron: digest'],
		['forms', 'deliver_only: email'],
		['/p/ops/webhooks/deploy', 'log'],
	]);
	expect(rows[0]).toMatchObject({sign: '>', cells: {events: 'pull_request'}});
});

test.for([
	[1, 'coalesce     key {host}  30 s / 300 s'],
	[4, 'signature    stripe'],
	[4, 'concurrency  1 run at once'],
	[4, 'overflow     queue: above the rate limit events wait'],
	[1, 'path         /webhooks/alerts'],
	[2, 'cron_job     digest'],
	[4, 'path         /p/ops/webhooks/deploy'],
	[4, 'profile      ops'],
] as const)('the detail of route %d says "%s"', async ([index, text]) => {
	await using shown = await showShell(createFakePort({routes}), narrow, {pane: 'routes'});
	await shown.screen.press(...Array.from({length: index}, () => 'j'), 'enter');

	expect(shown.text()).toContain(text);
});

test.for([
	['profile:ops', ['deploy']],
	['job:digest', ['nightly']],
	['key:host', ['alerts']],
	['/p/ops', ['deploy']],
] as const)('the filter %s keeps %j', async ([filter, names]) => {
	await using shown = await showShell(createFakePort({routes}), narrow, {
		pane: 'routes',
		filters: {routes: filter},
	});

	expect(
		shown.shell
			.list(routeList)
			.shown()
			.map(({name}) => name),
	).toEqual(names);
});

const at = (hoursAgo: number, overrides: Parameters<typeof makeDelivery>[0] = {}) =>
	received(makeDelivery({receivedAt: testNow - hoursAgo * 3_600_000, ...overrides}));

test('where there is room each route has a picture of its day', async () => {
	const port = createFakePort({routes});
	port.emit(at(3), at(2), at(2), at(1));
	await using shown = await showShell(port, {columns: 180, rows: 24}, {pane: 'routes'});

	expect(shown.screen.lines()[3]).toContain('24 hours');
	expect(shown.screen.lines()[4]).toContain('··········▃█');
});

test('what came in within a day is counted for each route', async () => {
	const port = createFakePort({routes});
	port.emit(
		at(25),
		at(3, {subject: 'acme/api#7 opened'}),
		at(2),
		at(2, {status: 200, outcome: 'ignored:filter'}),
		at(1, {status: 401, outcome: 'signature'}),
		at(1, {route: 'alerts', status: 429, outcome: 'rate'}),
	);
	await using shown = await showShell(port, narrow, {pane: 'routes'});

	const rows = readTable(shown.screen.lines(), ['name', 'taken', 'ignored', 'refused']);
	expect(rows.slice(0, 3).map(({cells}) => Object.values(cells))).toEqual([
		['gh-review', '2', '1', '1'],
		['alerts', '-', '-', '1'],
		['nightly', '-', '-', '-'],
	]);
	await shown.screen.press('enter');
	expect(shown.text()).toContain('2 taken in, 1 ignored, 1 refused');
	expect(shown.text()).toContain('·····················▄█▄  24 hours');
	expect(shown.text()).toContain('acme/api#7 opened');
});

test('what the journal holds of the day is counted, whatever Traffic lists, with what came since', async () => {
	const port = createFakePort({routes});
	const counted = makeDelivery({receivedAt: testNow - 1000});
	let asked = 0;
	port.countRoutes = async () => {
		asked += 1;
		return {
			since: testNow - 86_400_000,
			until: testNow,
			newest: counted.id,
			routes: [
				{
					profile: 'default',
					route: 'gh-review',
					taken: 17_000,
					ignored: 30,
					refused: 4,
					hours: [17_034, ...Array.from({length: 23}, () => 0)],
				},
			],
		};
	};
	port.emit(received(counted));
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.pass(100);
	const firstRow = () =>
		Object.values(
			readTable(shown.screen.lines(), ['name', 'taken', 'ignored', 'refused'])[0]?.cells ?? {},
		);
	expect(firstRow()).toEqual(['gh-review', '17000', '30', '4']);

	port.emit(received(makeDelivery({receivedAt: testNow + 1})));
	await shown.pass(100);
	expect(firstRow()).toEqual(['gh-review', '17001', '30', '4']);
	expect(asked).toBe(1);

	// Asked anew while the pane is open, and not of another one.
	await shown.pass(60_000);
	await shown.pass(1000);
	const whileOpen = asked;
	expect(whileOpen).toBeGreaterThan(1);
	await shown.screen.press('1');
	await shown.pass(60_000);
	expect(asked).toBe(whileOpen);
});

test('the detail of a route has the sums of its runs, loaded while it is looked at', async () => {
	const port = createFakePort({routes});
	const asked: unknown[] = [];
	port.sumRuns = async question => {
		asked.push(question);
		return {
			by: 'route',
			since: testNow - 7 * 86_400_000,
			until: testNow,
			leftOut: 0,
			rows: [
				makeSum({profile: 'ops', route: 'gh-review', runs: 900}),
				makeSum({
					profile: 'default',
					route: 'gh-review',
					runs: 1200,
					done: 1190,
					failed: 10,
					success: 1190 / 1200,
					inputTokens: 5_000_000,
					outputTokens: 40_000,
					costs: [
						{amount: 12.5, currency: 'USD'},
						{amount: 0.3, currency: 'EUR'},
					],
					uncounted: 10,
					medianMs: 2500,
					longestMs: 600_000,
				}),
			],
		};
	};
	await using shown = await showShell(port, {columns: 80, rows: 40}, {pane: 'routes'});
	await shown.pass(100);
	expect(asked).toEqual([]);
	await shown.screen.press('enter');
	await shown.pass(100);
	const told = () => {
		const rows = shown.screen.lines().map(row => row.trim().split(/ {2,}/));
		return rows.slice(rows.findIndex(([title]) => title === 'Runs, 7d') + 1);
	};
	expect(told().slice(0, 6)).toEqual([
		['runs', '1,200: 1,190 done, 10 failed'],
		['success', '99%'],
		['tokens', '5,000,000 in · 40,000 out'],
		['cost', '$12.50 + €0.30 + ?'],
		['cost unknown: 10 runs whose tokens were not told'],
		['took', 'median 2.5s, longest 10:00'],
	]);
	await shown.screen.press('esc', 'j', 'enter');
	await shown.pass(100);
	expect(told()[0]).toEqual(['runs', 'none']);
	expect(asked).toEqual([{by: 'route'}, {by: 'route'}]);
});

test('o shows the traffic of the route, and Esc at once comes back', async () => {
	const port = createFakePort({routes});
	port.emit(
		received(makeDelivery({receivedAt: testNow, route: 'alerts'})),
		received(makeDelivery({receivedAt: testNow + 1, route: 'gh-review'})),
	);
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	const deliveries = shown.shell.list(deliveryList);
	await shown.screen.press('j', 'o');
	expect(shown.shell.pane().id).toBe('traffic');
	expect(deliveries.get().filterText).toBe('route:alerts');
	expect(deliveries.selected()?.delivery.route).toBe('alerts');
	await shown.screen.press('esc');

	expect(shown.shell.pane().id).toBe('routes');
	expect(shown.shell.list(routeList).selected()?.name).toBe('alerts');
	expect(deliveries.get().filterText).toBe('');
});

test('T says what the template names and the test event lacks', async () => {
	const port = createFakePort({
		routes,
		webhook: {state: 'listening', url: 'http://127.0.0.1:8644'},
	});
	const detail = '20 characters, unresolved: {made.up}, read: zen';
	const delivery = makeDelivery({
		deliveryId: 'test-1',
		trace: [{step: 'prompt', verdict: 'pass', detail}],
	});
	port.deliveries.set(delivery.id, {...delivery, headers: {}});
	port.answers.receiver = {status: 202, body: '{"status":"accepted","delivery_id":"test-1"}'};
	await using shown = await showShell(port, {columns: 120, rows: 36}, {pane: 'routes'});
	await shown.screen.press('T');
	await shown.pass(0);
	expect(shown.said()).toContain(
		'Answered 202 accepted. The template names {made.up}, which this payload does not have',
	);
});

test('T sends a test event to the selected route; y copies its URL and a signed curl line', async () => {
	const port = createFakePort({
		routes,
		webhook: {state: 'listening', url: 'http://127.0.0.1:8644'},
	});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press('T');
	expect(port.calls).toContainEqual({name: 'sendTestEvent', args: ['gh-review']});
	await shown.screen.press('y', 'u');
	await shown.pass(0);
	await shown.screen.press('y', 'c');
	await shown.pass(0);

	expect(shown.desktop.copied).toEqual([
		'http://127.0.0.1:8644/webhooks/gh-review',
		'curl http://127.0.0.1:8644/webhooks/gh-review',
	]);
});

test('nothing is sent to a route that is not served, and T says so', async () => {
	const port = createFakePort({routes: [route({problem: 'it has no secret'})]});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press('T');

	expect(shown.said()).toContain('Route gh-review is not served');
});

test('p pauses the selected subscription, and its row says so', async () => {
	const port = createFakePort({routes});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press('p');
	expect(port.calls).toContainEqual({name: 'setRoutePaused', args: ['gh-review', {paused: true}]});

	port.change({routes: [route({paused: true})]});
	await shown.pass(0);
	const [row] = readTable(shown.screen.lines(), ['name', 'events', 'deliver']);
	expect(row?.cells['deliver']).toBe('paused, log');
	await shown.screen.press('p');
	expect(port.calls).toContainEqual({name: 'setRoutePaused', args: ['gh-review', {paused: false}]});
});

test('D deletes a subscription after its name was typed, which a paste does not do', async () => {
	const port = createFakePort({routes});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press('D');
	await shown.screen.type('gh-revie');
	await shown.screen.press('enter');
	expect(shown.text()).toContain('That is not the name');
	expect(port.calls).toEqual([]);

	await shown.screen.type('w');
	expect(shown.text()).not.toContain('That is not the name');
	await shown.screen.press('enter');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'removeRoute', args: ['gh-review']}]);
	expect(shown.text()).toContain('Removed gh-review');
});

test.for(['p', 'R', 'D'])('%s does nothing to a route of config.yaml, and says why', async key => {
	const port = createFakePort({routes: [route({source: 'static'})]});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press(key);

	expect(shown.said()).toContain('stands in config.yaml: edit it with e');
	expect(port.calls).toEqual([]);
});

test('R shows the new secret once, with keys that copy it', async () => {
	const port = createFakePort({routes});
	const asked: unknown[] = [];
	Object.assign(port, {
		rotateRoute: async (...args: unknown[]) => {
			asked.push(args);
			return {
				file: '/home/ann/.svc/webhook_subscriptions.json',
				secret: 'brand-new-secret',
				warnings: [],
				until: testNow + 86_400_000,
				url: 'http://127.0.0.1:8644/webhooks/gh-review',
			};
		},
	});
	await using shown = await showShell(port, narrow, {pane: 'routes'});
	await shown.screen.press('R', 'd');
	await shown.pass(0);
	expect(asked).toEqual([['gh-review', {overlap_ms: 86_400_000}]]);
	expect(shown.text()).toContain('brand-new-secret');
	expect(shown.text()).toContain('The old secret passes until');

	await shown.screen.press('s');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['brand-new-secret']);
	await shown.screen.press('esc');
	expect(shown.text()).not.toContain('brand-new-secret');
});

test('the detail has what the route is made of, and what is wrong with it while it is served', async () => {
	const port = createFakePort({
		routes: [route({troubles: ['delivers to "email", which is not enabled']})],
	});
	let used = 4;
	let asked = 0;
	const facts: RouteFacts = {
		rateLimit: 30,
		secretSince: testNow - 400 * 86_400_000,
		secret: 'its own: 43 bytes',
		formerSecretsUntil: [testNow - 1, testNow + 1],
		prompt: 'Look at {number}\nand \u001B[31msay',
		promptLength: 25,
		filters: ['any of', '  action in ["opened"]'],
		tools: [
			{name: 'mcp__crm__find', server: 'crm', changes: false, asks: false},
			{name: 'mcp__crm__delete', server: 'crm', changes: true, asks: true},
			...Array.from({length: 20}, (_, count) => ({
				name: `mcp__files__read_${count}`,
				server: 'files',
				changes: false,
				asks: false,
			})),
		],
		unknownServers: ['new'],
		notes: ['Toolset "file" was dropped: there is none of that name'],
	};
	Object.assign(port, {
		describeRoute: async (name: string) => (name === 'gh-review' ? facts : undefined),
		async readRouteRate() {
			asked += 1;
			return {limit: 30, used, endsInMs: 12_400};
		},
	});
	port.emit(at(0, {status: 429, outcome: 'rate'}));
	await using shown = await showShell(port, {columns: 100, rows: 50}, {pane: 'routes'});
	expect(readTable(shown.screen.lines(), ['name', 'deliver'])[0]?.sign).toBe('>!');
	await shown.screen.press('enter');
	await shown.pass(100);

	for (const fact of [
		'! delivers to "email", which is not enabled',
		'! loses events: 1 event answered 429 within the hour',
		'overflow: queue keeps them',
		'its own: 43 bytes',
		'1 of 2 still passes, until',
		'30 a minute; 4 used, anew in 13 s',
		'400 days old: R makes a new one',
		'crm 2 tools, 1 ask · files 20 · those of new, once connected',
		'! Toolset "file" was dropped: there is none of that name',
		'action in ["opened"]',
		'Look at {number}',
	]) {
		expect(shown.text().replaceAll(/[\s│]+/g, ' ')).toContain(fact);
	}

	// While some of it is used, it is asked each second; nobody tells that the minute is over.
	used = 0;
	await shown.pass(1100);
	await shown.pass(200);
	expect(shown.text()).toContain('30 a minute; none used now');
	expect(asked).toBeGreaterThan(1);
	expect(shown.text()).toMatch(/ask first +delete/);
	expect(shown.text()).not.toContain('read_7');
	expect(shown.text()).not.toContain('\u001B[31m');
});
