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
	expect(other.said()).toContain('Somebody has made the first key');
	await one.pass(600);
	await one.screen.press('y');
	expect(one.text()).not.toContain(secret);
	expect(desk.list()).toHaveLength(1);
});

test('who types when the card opens makes no key, and puts none away that was not seen', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	await shown.screen.press('m');
	expect(shown.said()).toContain('Too early');
	// Letters that the card does not know put it off, too.
	for (const key of 'i think ') {
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await shown.pass(300);
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await shown.screen.press(key === ' ' ? 'space' : key);
	}

	await shown.pass(300);
	await shown.screen.press('m');
	await shown.pass(100);
	expect(desk.list()).toEqual([]);
	expect(shown.text()).toContain(question);
	expect(shown.said()).toContain('Too early');

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

test('where an approval waits, or its sheet has just closed, no key is offered: "m" denies there', async () => {
	const port = createFakePort({...listening, approvals: [makeToolApproval()]});
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	expect(shown.text()).not.toContain(question);
	await shown.screen.press('!');
	expect(shown.text()).toContain('Approval 1 of 1');
	await shown.screen.press('d');
	await shown.pass(0);
	port.emit({type: 'approval-settled', at: testNow, approval: {...makeToolApproval(), decision}});
	await shown.pass(300);
	expect(shown.text()).not.toContain('Approval 1 of 1');
	expect(shown.text()).not.toContain(question);
	await shown.pass(4000);
	expect(shown.text()).not.toContain(question);
	await shown.pass(1000);
	expect(shown.text()).toContain(question);
	expect(desk.list()).toEqual([]);
});

test('q asks to quit and answers nothing: who stays is asked again', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	await using shown = await showShell(port, size, {offersKey: true});
	await shown.screen.press('q');
	expect(shown.text()).not.toContain(question);
	expect(shown.text()).toContain('again to quit');
	expect(stateOf(shown.shell)).not.toHaveProperty('declinedKey');
	await shown.screen.press('esc');
	expect(shown.text()).toContain(question);
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

test('what T on the card of a first start proves is not covered: it is asked once another pane is open', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	const firstRun = {steps: ['wrote config.yaml'], route: 'github'};
	await using shown = await showShell(port, size, {offersKey: true, firstRun});
	await shown.screen.press('T');
	await shown.pass(0);
	expect(shown.said()).toContain('Answered 202 accepted');
	await shown.pass(5000);
	expect(shown.text()).not.toContain(question);
	await shown.screen.press('enter', 'esc', '7');
	expect(shown.text()).toContain(question);
	expect(desk.list()).toEqual([]);
});

test('it is asked after the card of a first start, and where another interface was faster says so', async () => {
	const port = createFakePort(listening);
	await using desk = await withKeys(port, createFakeClock(testNow));
	const firstRun = {steps: ['wrote config.yaml'], route: 'github'};
	await using shown = await showShell(port, size, {offersKey: true, firstRun});
	expect(shown.text()).toContain('Welcome to svc');
	await shown.screen.press('esc');
	expect(shown.text()).toContain(question);
	Object.assign(port, {createFirstKey: async () => undefined});
	await shown.pass(600);
	await shown.screen.press('m');
	await shown.pass(0);
	expect(shown.said()).toContain('There is a key by now');
	expect(desk.list()).toEqual([]);
});
