import {expect, test} from 'vitest';
import type {RouteView} from '../../../source/core/config-view.ts';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import type {ReplayPlan} from '../../../source/gateway/port.ts';
import {settledMs, deliveryList} from '../../../source/tui/entries/delivery-list.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, makeGroup, makeRun, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

// "Approvals never take the keyboard by themselves": neither does any other question whose answer had to be looked up.

const narrow = {columns: 80, rows: 24};

const plan: ReplayPlan = {
	route: 'gh-review',
	effects: ['posts a comment to acme/api#7'],
	needsConfirmation: true,
};

const served = (name: string): RouteView => ({
	name,
	profile: 'default',
	source: 'dynamic',
	description: '',
	events: [],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
});

/** Two deliveries, and a gateway that says what a replay does only when `answer` is called. */
async function showSlow() {
	const fake = createFakePort({
		routes: [served('gh-review'), served('other')],
		groups: [makeGroup()],
		runs: [makeRun()],
	});
	fake.groups.set(1, {...makeGroup(), members: []});
	const target = {kind: 'log', extra: {}};
	fake.runs.set(1, {...makeRun(), plan: {prompt: '', target, skills: []}, transcript: []});
	const plans: Array<PromiseWithResolvers<ReplayPlan>> = [];
	const lookUps: Array<() => void> = [];
	const later =
		<Key, Found>(find: (key: Key) => Promise<Found>) =>
		async (key: Key) => {
			const gate = Promise.withResolvers<void>();
			lookUps.push(gate.resolve);
			await gate.promise;
			return find(key);
		};
	for (const second of [1, 2]) {
		const delivery: StoredDelivery = {
			...makeDelivery({receivedAt: testNow + second * 1000}),
			headers: {'content-type': 'application/json'},
			body: new TextEncoder().encode('{"action": "opened"}'),
		};
		fake.deliveries.set(delivery.id, delivery);
		fake.emit(received(delivery));
	}

	const port = {
		...fake,
		async planReplay() {
			const gate = Promise.withResolvers<ReplayPlan>();
			plans.push(gate);
			return gate.promise;
		},
		getDelivery: later(async (id: string) => fake.getDelivery(id)),
		getGroup: later(async (id: number) => fake.getGroup(id)),
		getRun: later(async (id: number) => fake.getRun(id)),
	};
	const shown = await showShell(port, narrow);
	return {
		port,
		shown,
		async answer(with_: ReplayPlan = plan) {
			for (const gate of plans.splice(0)) {
				gate.resolve(with_);
			}

			await shown.pass(0);
		},
		async find() {
			// What was found may lead to another look.
			while (lookUps.length > 0) {
				lookUps.pop()?.();
				// oxlint-disable-next-line no-await-in-loop -- one look after the other
				await shown.pass(0);
			}
		},
		last: () => shown.said(),
		async [Symbol.asyncDispose]() {
			await shown[Symbol.asyncDispose]();
		},
	};
}

const elsewhere = [
	['a filter', ['/']],
	['the copy menu', ['y']],
	['another delivery', ['k']],
	['the detail', ['enter']],
	['the palette', [':']],
	['another pane', ['7']],
] as const;

test.for(elsewhere)('a late answer asks nothing when %s has the keyboard', async ([, keys]) => {
	await using slow = await showSlow();
	await slow.shown.screen.press('r', ...keys);
	const {overlay} = slow.shown.shell.view.get();
	await slow.answer();

	expect(slow.shown.shell.view.get().overlay).toBe(overlay);
	expect(slow.shown.shell.view.get().toast?.text).toBe('Replay was not asked: press r again');
	await slow.shown.screen.press('y');
	await slow.shown.pass(0);
	expect(slow.port.calls).toEqual([]);
});

test.for(elsewhere)('so it is with t: %s keeps the keyboard', async ([, keys]) => {
	await using slow = await showSlow();
	await slow.shown.screen.press('t', '1', ...keys);
	await slow.answer();

	expect(slow.shown.shell.view.get().overlay?.kind).not.toBe('confirm');
	expect(slow.shown.shell.view.get().toast?.text).toBe('Replay was not asked: press t again');
});

test('a late answer asks when the keyboard is where it was, also when it was away meanwhile', async () => {
	await using slow = await showSlow();
	await slow.shown.screen.press('r', '?', 'esc');
	await slow.answer();

	expect(slow.shown.text()).toContain('posts a comment to acme/api#7');
});

test('a list that goes on by itself takes nothing from the question, which names its delivery', async () => {
	await using slow = await showSlow();
	const asked = slow.shown.shell.list(deliveryList).selected()?.delivery;
	await slow.shown.screen.press('r');
	slow.port.emit(received(makeDelivery({receivedAt: testNow + 3000})));
	await slow.shown.pass(100);
	await slow.answer();

	expect(slow.shown.text()).toContain(`── Replay ${asked?.id.slice(-6)} to gh-review ──`);
});

test('what only the log knows of is sent wherever the keyboard is: nothing is asked', async () => {
	await using slow = await showSlow();
	await slow.shown.screen.press('k');
	await slow.shown.pass(settledMs);
	await slow.shown.screen.press('r', '/');
	await slow.answer({...plan, needsConfirmation: false});

	expect(slow.port.calls.map(({name}) => name)).toEqual(['replay']);
	expect(slow.shown.shell.view.get().field).toBe('filter');
});

test.for([
	['R', '1', 'The editor was not opened: press R again'],
	['e', '1', 'The pager was not opened: press e again'],
	['e', '2', 'The pager was not opened: press e again'],
	['e', '7', 'The pager was not opened: press e again'],
] as const)('%s in pane %s opens no program over a text field', async ([key, pane, toast]) => {
	await using slow = await showSlow();
	slow.shown.desktop.next = '{}';
	await slow.shown.screen.press(pane, key, '/');
	await slow.find();

	expect(slow.shown.desktop.edited).toEqual([]);
	expect(slow.shown.desktop.paged).toEqual([]);
	expect(slow.shown.shell.view.get().toast?.text).toBe(toast);
});

test.for(elsewhere)(
	'what the doctor finds opens no pager when %s has the keyboard',
	async ([, keys]) => {
		await using slow = await showSlow();
		const gate = Promise.withResolvers<void>();
		slow.shown.desktop.examined = gate.promise;
		await slow.shown.screen.press(':');
		await slow.shown.screen.type('/doctor');
		await slow.shown.screen.press('enter', ...keys);
		gate.resolve();
		await slow.shown.pass(0);

		expect(slow.shown.desktop.paged).toEqual([]);
		expect(slow.shown.shell.view.get().toast?.text).toBe(
			'What was found was not opened: press /doctor again',
		);
	},
);

test('what the gateway says of leaving goes to no other dialog', async () => {
	const fake = createFakePort();
	const gate = Promise.withResolvers<Awaited<ReturnType<typeof fake.stopConsequences>>>();
	await using shown = await showShell(
		{...fake, stopConsequences: async () => gate.promise},
		narrow,
	);
	await shown.screen.press('q', 'esc', '?');
	gate.resolve({activeRuns: 1, queuedRuns: 0, pendingGroups: 0});
	await shown.pass(0);

	expect(shown.shell.view.get().overlay?.kind).toBe('help');
});
