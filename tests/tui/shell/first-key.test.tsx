import {expect, test} from 'vitest';
import type {GatewayState} from '../../../source/core/state.ts';
import {whenDeclined} from '../../../source/tui/shell/first-key.ts';
import {stateOf} from '../../../source/tui/shell/tui-world.ts';
import type {SavedState} from '../../../source/tui/state/saved-state.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeKey, withKeys} from '../../helpers/make-key.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const size = {columns: 80, rows: 24};
const listening: Partial<GatewayState> = {api: {state: 'listening', url: 'http://127.0.0.1:8642'}};
const decision = {outcome: 'denied', at: testNow, by: 'tui'} as const;
const question = 'A key for the chat API?';
const secretIn = (text: string) => /svc_live_[0-9A-Za-z]{36}/.exec(text)?.[0] ?? '';

test('of two interfaces one makes the first key and shows it; the other asks no more', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using one = await showShell(port, size, {offersKey: true});
	await using other = await showShell(port, size, {offersKey: true});
	expect(one.text()).toContain(question);
	expect(other.text()).toContain(question);
	expect(desk.list()).toEqual([]);

	await one.pass(600);
	await one.screen.press('m');
	await one.pass(200);
	await other.pass(200);
	const secret = secretIn(one.text());
	expect(desk.authenticate(secret)).toMatchObject({key: {name: 'first', kind: 'live'}});
	expect(other.text()).not.toContain(question);
	expect(other.text()).not.toContain(secret);
	expect(other.said()).toContain('Another interface has made the first key');
	await one.pass(600);
	await one.screen.press('y');
	expect(one.text()).not.toContain(secret);
	expect(desk.list()).toHaveLength(1);
});

test('a key typed ahead makes no key: m counts half a second after the box opened', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	await shown.screen.press('m');
	expect(shown.said()).toContain('Too early');
	await shown.pass(300);
	await shown.screen.press('m');
	await shown.pass(100);
	expect(desk.list()).toEqual([]);
	expect(shown.text()).toContain(question);

	await shown.pass(600);
	await shown.screen.press('m');
	await shown.pass(100);
	expect(shown.said()).not.toContain('Too early');
	await shown.screen.press('y');
	expect(secretIn(shown.text())).not.toBe('');
	await shown.pass(600);
	await shown.screen.press('y');
	expect(secretIn(shown.text())).toBe('');
	expect(desk.list()).toHaveLength(1);
});

test.for([
	['7', '[7'],
	['?', 'Keys'],
	['q', 'again to quit'],
] as const)(
	'the key %s does what it does without the box, which closes: the next start asks',
	async ([key, text]) => {
		const port = createFakePort(listening);
		await using desk = await withKeys(port, createFakeClock(testNow));
		await using shown = await showShell(port, size, {offersKey: true});
		await shown.screen.press(key);
		expect(shown.text()).toContain(text);
		await shown.screen.press('esc');
		await shown.pass(1000);
		expect(shown.text()).not.toContain(question);
		expect(stateOf(shown.shell)).not.toHaveProperty('declinedKey');
		expect(desk.list()).toEqual([]);
	},
);

test('who does not want it is not asked again, and loses no way to a key', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	const saved: SavedState[] = [];
	using stack = new DisposableStack();
	stack.defer(whenDeclined(shown.shell, () => saved.push(stateOf(shown.shell))));
	await shown.screen.press('esc');
	expect(saved).toMatchObject([{declinedKey: true}]);
	port.emit();
	await shown.pass(1000);
	expect(shown.text()).not.toContain(question);
	expect(desk.list()).toEqual([]);
	expect(stateOf(shown.shell)).toMatchObject({declinedKey: true});

	await using next = await showShell(port, size, {offersKey: true, declinedKey: true});
	expect(next.text()).not.toContain(question);
});

test('where an approval waits no key is offered: "m" denies there', async () => {
	const port = createFakePort({...listening, approvals: [makeToolApproval()]});
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	expect(shown.text()).not.toContain(question);
	port.emit({type: 'approval-settled', at: testNow, approval: {...makeToolApproval(), decision}});
	await shown.pass(5000);
	expect(shown.text()).not.toContain(question);
	expect(desk.list()).toEqual([]);
});

test.for([
	['nobody is to be given one', listening, {}],
	['keys were revoked', {...listening, keys: [makeKey({revokedAt: 1})]}, {offersKey: true}],
	['the chat API is off', {api: {state: 'disabled'}, keys: []}, {offersKey: true}],
	['the gateway tells of no keys', listening, {offersKey: true}],
] as const)('no key is offered where %s', async ([, state, options]) => {
	await using shown = await showShell(createFakePort(state), size, options);
	expect(shown.text()).not.toContain(question);
});

test('the card of a first start offers it: m makes the key and shows it once', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	const firstRun = {steps: ['wrote config.yaml'], route: 'github'};
	await using shown = await showShell(port, size, {offersKey: true, firstRun});
	expect(shown.text()).toContain('makes the first key of the chat API');
	await shown.screen.press('m');
	await shown.pass(100);
	expect(desk.authenticate(secretIn(shown.text()))).toMatchObject({key: {name: 'first'}});
	await shown.pass(600);
	await shown.screen.press('y');
	expect(secretIn(shown.text())).toBe('');
});

test.for(['enter', 'T'])(
	'after %s on that card nothing else takes the keys that follow',
	async key => {
		const port = createFakePort(listening);
		await using desk = await withKeys(port, createFakeClock(testNow));
		const firstRun = {steps: ['wrote config.yaml'], route: 'github'};
		await using shown = await showShell(port, size, {offersKey: true, firstRun});
		await shown.screen.press(key);
		await shown.pass(5000);
		expect(shown.text()).not.toContain(question);
		await shown.screen.press('7');
		expect(shown.text()).toContain('[7');
		expect(desk.list()).toEqual([]);
	},
);

test('m on the card of another interface, when the key is made already, says so', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	const firstRun = {steps: ['wrote config.yaml'], route: 'github'};
	await using shown = await showShell(port, size, {offersKey: true, firstRun});
	Object.assign(port, {createFirstKey: async () => undefined});
	await shown.screen.press('m');
	await shown.pass(0);
	expect(shown.said()).toContain('There is a key by now');
	expect(desk.list()).toEqual([]);
});
