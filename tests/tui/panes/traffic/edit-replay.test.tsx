import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../../source/core/delivery.ts';
import {settledMs} from '../../../../source/tui/entries/delivery-list.ts';
import {createFakePort, type FakePort} from '../../../helpers/fake-port.ts';
import {makeDelivery, received} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

/** Takes one delivery in, and returns its name of few letters. */
function take(port: FakePort, body: string, type = 'application/json'): StoredDelivery {
	const delivery: StoredDelivery = {
		...makeDelivery({receivedAt: testNow}),
		headers: {'content-type': type},
		body: new TextEncoder().encode(body),
	};
	port.deliveries.set(delivery.id, delivery);
	port.emit(received(delivery));
	return delivery;
}

const numbers = '{"id":12345678901234567890,"price":1.10,"tiny":1e-7}';

const indented = '{\n  "id": 12345678901234567890,\n  "price": 1.10,\n  "tiny": 1e-7\n}\n';

test.for([
	['R', 'edited'],
	['e', 'paged'],
] as const)('%s shows every number as it was sent', async ([key, where]) => {
	const port = createFakePort();
	take(port, numbers);
	await using shown = await showShell(port, narrow);
	await shown.screen.press(key);
	await shown.pass(0);

	expect(shown.desktop[where]).toEqual([indented]);
});

test('what was edited is sent with its numbers as they were written', async () => {
	const port = createFakePort();
	const {id} = take(port, numbers);
	await using shown = await showShell(port, narrow);
	shown.desktop.next = indented.replace('1.10', '2.20');
	await shown.screen.press('R');
	await shown.pass(0);
	await shown.screen.press('y');
	await shown.pass(0);

	const body = '{\n  "id": 12345678901234567890,\n  "price": 2.20,\n  "tiny": 1e-7\n}';
	expect(port.calls).toEqual([{name: 'replay', args: [id, {body}]}]);
	expect(shown.desktop.kept.size).toBe(0);
});

test('a mistake in the JSON plans nothing: the text is kept, and can be edited again', async () => {
	const port = createFakePort();
	const {id} = take(port, '{"a": 1}');
	let plans = 0;
	await using shown = await showShell(
		{
			...port,
			async planReplay() {
				plans += 1;
				return port.answers.plan;
			},
		},
		narrow,
	);
	shown.desktop.next = '{"a": 1,}\n';
	await shown.screen.press('R');
	await shown.pass(0);

	expect(plans).toBe(0);
	expect(shown.desktop.kept).toEqual(new Map([[`edited-${id}.json`, '{"a": 1,}\n']]));
	expect(shown.text()).toContain('── Not replayed: the text is no JSON ──');
	expect(shown.text()).toMatch(/Expected double-quoted property name/);
	expect(shown.text().replaceAll(/\s+/g, ' ')).toContain(
		`Your text is in /home/ann/.svc/cache/edited-${id}.json`,
	);

	shown.desktop.next = '{"a": 2}';
	await shown.screen.press('e');
	await shown.pass(0);
	expect(shown.desktop.edited.at(-1)).toBe('{"a": 1,}\n');
	await shown.screen.press('y');
	await shown.pass(0);
	expect(port.calls).toEqual([{name: 'replay', args: [id, {body: '{"a": 2}'}]}]);
});

test('a text of blanks sends nothing', async () => {
	const port = createFakePort();
	take(port, '{"a": 1}');
	await using shown = await showShell(port, narrow);
	shown.desktop.next = ' \n';
	await shown.screen.press('R');
	await shown.pass(0);

	expect(shown.said()).toBe(' Nothing is sent: the text was left empty');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('a form need not be JSON', async () => {
	const port = createFakePort();
	const {id} = take(port, 'a=1&b=2', 'application/x-www-form-urlencoded; charset=utf-8');
	await using shown = await showShell(port, narrow);
	shown.desktop.next = 'a=2';
	await shown.screen.press('R');
	await shown.pass(0);
	await shown.screen.press('y');
	await shown.pass(0);

	expect(shown.desktop.edited).toEqual(['a=1&b=2\n']);
	expect(port.calls).toEqual([{name: 'replay', args: [id, {body: 'a=2'}]}]);
});

const lost = [
	['is not asked for any more', ['/'], {}],
	['cannot be planned', [], {plan: new Error('Cannot replay: the route is gone')}],
	['is refused', [], {status: 400}],
	['cannot be sent', [], {failure: new Error('Cannot reach the gateway')}],
] as const satisfies ReadonlyArray<
	readonly [string, readonly string[], {plan?: Error; status?: number; failure?: Error}]
>;

test.for(lost)('what was edited is kept when its replay %s', async ([, keys, world]) => {
	const port = createFakePort();
	const {id} = take(port, '{"a": 1}');
	const gate = Promise.withResolvers<void>();
	if ('status' in world) {
		port.answers.receiver = {status: world.status, body: 'no'};
	}

	await using shown = await showShell(
		{
			...port,
			async planReplay() {
				await gate.promise;
				return 'plan' in world ? Promise.reject(world.plan) : port.answers.plan;
			},
			replay: async (...args) =>
				'failure' in world ? Promise.reject(world.failure) : port.replay(...args),
		},
		{columns: 200, rows: 24},
	);
	shown.desktop.next = '{"a": 2}';
	await shown.screen.press('R');
	await shown.pass(0);
	await shown.screen.press(...keys);
	gate.resolve();
	await shown.pass(0);
	if (shown.shell.view.get().overlay?.kind === 'confirm') {
		await shown.screen.press('y');
		await shown.pass(0);
	}

	expect(shown.desktop.kept).toEqual(new Map([[`edited-${id}.json`, '{"a": 2}\n']]));
	expect(shown.shell.view.get().toast?.text).toContain(
		`your text is in /home/ann/.svc/cache/edited-${id}.json`,
	);
});

const both = ['starts an agent run', 'writes the answer to the log'];

test.for([
	[both, 202, {status: 'accepted'}, 'starts an agent run, writes the answer to the log'],
	[[], 202, {status: 'accepted'}, 'accepted'],
	[both, 200, {status: 'ignored', reason: 'filter'}, 'ignored by its filter'],
	[both, 200, {status: 'ignored', reason: 'script'}, 'ignored by its script'],
	[both, 200, {status: 'ignored', reason: 'own'}, 'ignored: the gateway wrote it itself'],
	[both, 200, {status: 'ignored', event: 'push'}, 'ignored: the route does not take push'],
	[both, 200, {status: 'duplicate'}, 'duplicate'],
] as const)(
	'r on a route that only logs asks nothing, and says what it did: %j %d %j',
	async ([effects, status, body, words]) => {
		const port = createFakePort();
		port.answers.plan = {route: 'gh-review', effects, needsConfirmation: false};
		port.answers.receiver = {status, body: JSON.stringify(body)};
		const {id} = take(port, '{}');
		take(port, '{}');
		await using shown = await showShell(port, {columns: 120, rows: 24});
		await shown.screen.press('k');
		await shown.pass(settledMs);
		await shown.screen.press('r');
		await shown.pass(0);

		expect(shown.said()).toBe(` Replayed ${id.slice(-6)} to gh-review (${status}): ${words}`);
	},
);
