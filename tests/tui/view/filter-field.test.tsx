import {expect, test} from 'vitest';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, received} from '../../helpers/make.ts';
import {freshPicture, showShell, testNow, type ShownShell} from '../../helpers/show-shell.tsx';

/** Deliveries of these routes, each with the same payload. */
function portWith(...routes: readonly string[]): FakePort {
	const port = createFakePort();
	for (const [index, route] of routes.entries()) {
		const delivery = makeDelivery({receivedAt: testNow + index * 1000, route});
		port.deliveries.set(delivery.id, {
			...delivery,
			headers: {'content-type': 'application/json'},
			body: new TextEncoder().encode(
				'{"action":"opened","pull_request":{"draft":true,"title":"a\\u001b[2Jb"}}',
			),
		});
		port.emit(received(delivery));
	}

	return port;
}

/** The row above the field, and what stands in the field. */
const shownField = ({screen, shell}: ShownShell) => ({
	above: screen.lines().at(-2)?.trim(),
	field: shell.openList()?.get().filterText,
});

test('the field of a filter says how it goes on, and Tab completes it: names, values, paths of the payload', async () => {
	await using shown = await showShell(portWith('gh-review', 'gh-push'), {columns: 120, rows: 24});
	await shown.pass(1000);
	await shown.screen.press('/');
	expect(shownField(shown).above).toContain('tab route: event: subject: status:');

	await shown.screen.type('rou');
	expect(shownField(shown).above).toBe('tab route:');
	await shown.screen.press('tab');
	expect(shownField(shown)).toEqual({above: 'tab gh-push gh-review', field: 'route:'});

	await shown.screen.press('tab', 'tab', 'tab');
	expect(shownField(shown).field).toBe('route:gh-review');
	await shown.screen.press('shift+tab');
	expect(shownField(shown).field).toBe('route:gh-push');
	expect(shown.text()).not.toContain('gh-review 202');

	// The cursor stands behind what was completed.
	await shown.screen.type(' payload.pu');
	await shown.screen.press('tab', 'tab', 'tab');
	expect(shownField(shown).field).toBe('route:gh-push payload.pull_request.title:');
	await shown.screen.press('shift+tab');
	await shown.screen.type('t');
	await shown.screen.press('tab');
	expect(shownField(shown).field).toBe('route:gh-push payload.pull_request.draft:true');

	await shown.screen.press('enter');
	expect(shown.shell.view.get().field).toBeUndefined();
	expect(shown.text()).not.toContain('tab ');
});

test('what cannot be, or finds nothing, is said above the field; the valid rest applies', async () => {
	await using shown = await showShell(portWith('gh-review', 'alerts'), {columns: 80, rows: 24});
	await shown.screen.press('/');
	await shown.screen.type('alerts stat:x');
	expect(shownField(shown).above).toBe(
		'✗ Unknown filter key stat: do you mean status:?; the rest applies',
	);
	expect(shown.shell.openList()?.get().items).toHaveLength(1);

	await shown.screen.press('esc');
	await shown.screen.type('status:9xx ');
	expect(shown.screen.lines()[2]).toContain('status:9xx  ? no answer is a "9xx"');

	await shown.screen.press('esc');
	await shown.screen.type('route:alarts');
	expect(shownField(shown).above).toBe('? route: there is no "alarts": do you mean alerts?');
	await shown.screen.press('tab');
	expect(shownField(shown).field).toBe('route:alarts');
});

test('an open field whose proposals stay the same draws nothing', async () => {
	await using shown = await showShell(portWith('gh-review'), {columns: 80, rows: 24});
	await shown.pass(1000);
	await shown.screen.press('/');
	await shown.screen.type('r');
	const before = shown.screen.written().length;
	await shown.pass(100);

	expect(shown.screen.written()).toHaveLength(before);
});

test('who leaves the field of a filter for another pane sees that pane alone', async () => {
	await using shown = await showShell(portWith('gh-review'), {columns: 120, rows: 24});
	await shown.screen.press('/', 'alt+a');
	await shown.pass(1000);
	expect(shown.shell.view.get().pane).toBe('approvals');
	expect(shown.text()).not.toContain('── Traffic ──');
	expect((await freshPicture(shown)) === shown.screen.picture()).toBe(true);
});
