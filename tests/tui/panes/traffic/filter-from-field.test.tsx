import {expect, test} from 'vitest';
import type {Delivery, StoredDelivery} from '../../../../source/core/delivery.ts';
import type {GatewayPort} from '../../../../source/gateway/port.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, received} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const draft = '{"action":"opened"}';

const kept = (overrides: Partial<Delivery>, body = draft): StoredDelivery => ({
	...makeDelivery({receivedAt: testNow, ...overrides}),
	headers: {},
	body: new TextEncoder().encode(body),
});

/** The latest of `past`, opened, with the first field of its payload chosen. What the gateway is asked for is remembered. */
async function open(past: readonly StoredDelivery[], lookUp = async () => {}) {
	const port = createFakePort();
	const asked: string[] = [];
	const listed: Array<Parameters<GatewayPort['listDeliveries']>[0]> = [];
	for (const delivery of past) {
		port.deliveries.set(delivery.id, delivery);
	}

	const latest = past.at(-1);
	if (latest) {
		port.emit(received(latest));
	}

	const shown = await showShell(
		{
			...port,
			async getDelivery(id) {
				asked.push(id);
				await lookUp();
				return port.getDelivery(id);
			},
			async listDeliveries(filter) {
				listed.push(filter);
				return past;
			},
		},
		{columns: 120, rows: 36},
	);
	await shown.pass(400);
	await shown.screen.press('s');
	asked.length = 0;
	return {
		shown,
		asked,
		listed,
		async [Symbol.asyncDispose]() {
			await shown[Symbol.asyncDispose]();
		},
	};
}

test('the form of a code host is shown, and filtered, as the payload in it', async () => {
	const form = `payload=${encodeURIComponent(draft)}`;
	const headers = {
		'content-type': 'application/x-www-form-urlencoded',
		'x-github-event': 'pull_request',
	};
	await using pane = await open([
		{...kept({}, form), headers},
		{...kept({}, form), headers},
	]);
	expect(pane.shown.text()).toMatch(/action\W+opened/);
	expect(pane.shown.text()).not.toContain('payload=');
	await pane.shown.screen.press('s');
	await pane.shown.pass(0);
	await pane.shown.pass(0);
	await pane.shown.pass(0);
	expect(pane.shown.text()).toContain('Would pass 2 of the last 2 events of gh-review.');
});

const many = (count: number) => Array.from({length: count}, () => kept({}));

test('at most 100 bodies of the latest 300 events of the route are looked at', async () => {
	await using back = await open(many(101));
	await back.shown.screen.press('s');
	// Each look takes a turn of its own.
	for (let turn = 0; turn < 40; turn += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one turn after the other
		await back.shown.pass(0);
	}

	expect(back.shown.text()).toContain('Would pass 100 of the last 100 events of gh-review.');
	expect(back.asked).toHaveLength(100);
	expect(back.listed).toEqual([{route: 'gh-review', limit: 300}]);
});

test.for([
	['over 64 KiB', {bodyBytes: 65_537}],
	['that was refused', {status: 401, outcome: 'signature'}],
	['that was malformed', {status: 400, outcome: 'body'}],
	['that is a replay', {replayOf: 'abc123'}],
] as const)('an event %s is not looked at', async ([, overrides]) => {
	const passed = kept({bodyBytes: 65_536});
	await using back = await open([kept(overrides), passed]);
	await back.shown.screen.press('s');
	await back.shown.pass(0);

	expect(back.asked).toEqual([passed.id]);
	expect(back.shown.text()).toContain('Would pass 1 of the last 1 events of gh-review.');
});

test('events that the filters of the route stopped are counted: they came as far', async () => {
	await using back = await open([
		kept({status: 200, outcome: 'ignored:filter'}, '{"action":"closed"}'),
		kept({status: 200, outcome: 'duplicate'}),
		kept({}),
	]);
	await back.shown.screen.press('s');
	await back.shown.pass(0);

	expect(back.shown.text()).toContain('Would pass 2 of the last 3 events of gh-review.');
});

test.for([['esc'], ['y']])('closed by %s, it asks for no further body', async ([key = '']) => {
	const gates: Array<() => void> = [];
	let isSlow = false;
	await using back = await open(many(5), async () => {
		if (isSlow) {
			const gate = Promise.withResolvers<void>();
			gates.push(gate.resolve);
			await gate.promise;
		}
	});
	isSlow = true;
	await back.shown.screen.press('s');
	expect(back.asked).toHaveLength(1);
	expect(back.shown.text()).toContain('Looking at past events …');
	await back.shown.screen.press(key);
	gates.shift()?.();
	await back.shown.pass(0);

	expect(back.asked).toHaveLength(1);
	expect(back.shown.shell.view.get().overlay).toBeUndefined();
});

test('a count that comes late goes to no other menu', async () => {
	const gate = Promise.withResolvers<void>();
	let isSlow = false;
	await using back = await open(many(1), async () => (isSlow ? gate.promise : undefined));
	isSlow = true;
	await back.shown.screen.press('s', 'esc', 'y');
	gate.resolve();
	await back.shown.pass(0);

	expect(back.shown.text()).toContain('── Copy of delivery ');
	expect(back.shown.text()).not.toContain('Would pass');
});

test.for([
	[['j'], '{"payload":["a"]}', 'payload.payload.0'],
	[['j', 'j', 'j'], '{"payload":{"b":1},"event":{"type":"push"}}', 'event.type'],
] as const)('%j in %s: what is counted is what is copied', async ([keys, body, field]) => {
	await using back = await open([
		kept({}, '{"payload":{"event":{"type":"push"}}}'),
		kept({}, body),
	]);
	await back.shown.screen.press(...keys, 's');
	await back.shown.pass(0);

	expect(back.shown.text()).toContain('Would pass 1 of the last 2 events of gh-review.');
	await back.shown.screen.press('y');
	await back.shown.pass(0);
	expect(back.shown.desktop.copied[0]).toContain(`- field: "${field}"\n`);
});

test.for([
	['{"a.b":1}', 'A name with a dot in it cannot be named in a filter'],
	['{"event":1,"payload":{"b":1}}', 'No filter of a route can read this field'],
])('the first field of %s has no filter, and s says why', async ([body = '', reason = '']) => {
	await using back = await open([kept({}, body)]);
	await back.shown.screen.press('s');

	expect(back.shown.shell.view.get().overlay).toBeUndefined();
	expect(back.shown.said()).toContain(reason);
});
