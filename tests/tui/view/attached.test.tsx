import {expect, test} from 'vitest';
import {SvcError} from '../../../source/core/errors.ts';
import {paneKey} from '../../../source/tui/panes/pane.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeDelivery, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

test('a gateway of another version is named once, with both and what to do; the next one again', async () => {
	const port = createFakePort({}, {embedded: false});
	await using shown = await showShell(port, narrow, {version: '1.2.0'});
	const {gateway} = port.getState();
	const text = () => shown.text().replaceAll(/[\s│]+/g, ' ');
	expect(text()).toContain('The gateway is svc 1.0.0, and this is svc 1.2.0.');
	expect(text()).toContain('end the gateway ("svc gateway stop") and start it again');
	await shown.screen.press('g', '7');
	expect(shown.shell.view.get()).toMatchObject({overlay: undefined, pane: 'runs'});

	port.emit({type: 'gateway-lost', at: testNow});
	port.change({gateway: {...gateway, pid: 4243}});
	await shown.pass(1000);
	expect(shown.shell.view.get().overlay).toBeUndefined();

	await shown.screen.press('/');
	port.change({gateway: {...gateway, version: '1.1.0\u001B[31m'}});
	await shown.pass(1000);
	expect(shown.shell.view.get().overlay).toBeUndefined();
	await shown.screen.press('enter');
	expect(text()).toContain('The gateway is svc 1.1.0␛[31m, and this is svc 1.2.0.');
	await shown.screen.press('esc');
	port.change({gateway: {...gateway, version: '1.2.0'}});
	await shown.pass(1000);
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('a gateway of this process is never of another version', async () => {
	await using shown = await showShell(createFakePort(), narrow, {version: '1.2.0'});
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('when the gateway is gone every pane says so and keeps what it shows, and what is asked of it fails aloud', async () => {
	const port = createFakePort({}, {embedded: false});
	const delivery = makeDelivery({receivedAt: testNow, route: 'kept'});
	port.emit(received(delivery));
	await using shown = await showShell(port, narrow, {version: '1.0.0'});
	port.emit({type: 'gateway-lost', at: testNow});
	await shown.pass(12_000);
	for (const [index, {id}] of panes.entries()) {
		// oxlint-disable-next-line no-await-in-loop -- one pane after the other
		await shown.screen.press(paneKey(index) ?? '');
		expect(shown.shell.view.get().pane).toBe(id);
		const [status, , banner] = shown.screen.lines();
		expect(status).toMatch(/ stale 1\d s /);
		expect(banner).toContain(
			'gateway process 4242 does not answer · all of this is old · S starts one',
		);
	}

	await shown.screen.press('1');
	expect(shown.text()).toContain('kept');
	await shown.screen.press('S');
	await shown.pass(0);
	expect(shown.said()).toContain('The gateway runs in the background, process 4243');
	port.answers.failure = new SvcError('gateway_not_running', 'Cannot reach the gateway');
	await shown.screen.press('r');
	await shown.pass(0);
	await shown.screen.press('y');
	await shown.pass(0);
	expect(shown.text()).toContain('Cannot reach the gateway');
	port.change({gateway: {...port.getState().gateway, reachable: true}});
	await shown.pass(1000);
	await shown.screen.press('S');
	expect(shown.desktop.started).toBe(1);
});
