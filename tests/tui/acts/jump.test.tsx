import {expect, test} from 'vitest';
import {deliveryList} from '../../../source/tui/entries/delivery-list.ts';
import {entryList, runList} from '../../../source/tui/entries/lists.ts';
import {stateOf} from '../../../source/tui/shell/tui-world.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery, makeRun, received} from '../../helpers/make.ts';
import {showShell, testNow} from '../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

/** Two runs with their deliveries, each of which waits for a person. */
function twoRuns() {
	const deliveries = [7, 8].map(runId =>
		makeDelivery({receivedAt: testNow + runId, runId, event: 'push'}),
	);
	const port = createFakePort({
		runs: [
			makeRun({id: 7, delivery: deliveries[0]?.id ?? '', state: 'dead'}),
			makeRun({id: 8, delivery: deliveries[1]?.id ?? ''}),
		],
		approvals: [makeToolApproval({id: 1, run: 7}), makeToolApproval({id: 2, run: 8})],
	});
	port.emit(...deliveries.map(delivery => received(delivery)));
	return port;
}

test('Esc in the list that o led to is one step back, to the same row', async () => {
	await using shown = await showShell(twoRuns(), narrow);
	const {view, list} = shown.shell;
	await shown.screen.press('k', 'o');
	expect([view.get().pane, list(runList).selectedKey()]).toEqual(['runs', '7']);
	await shown.screen.press('esc');

	expect(view.get()).toMatchObject({pane: 'traffic', region: 'list'});
	expect(list(deliveryList).selected()?.delivery.runId).toBe(7);
	await shown.screen.press('esc');
	expect(view.get().pane).toBe('traffic');
});

test('it comes back to the row of the detail that was read', async () => {
	await using shown = await showShell(twoRuns(), narrow);
	await shown.screen.press('enter', 'j', 'j');
	const before = shown.shell.view.get();
	await shown.screen.press('o', 'enter', 'esc', 'esc');

	const {region, detailCursor} = shown.shell.view.get();
	expect([region, detailCursor]).toEqual(['detail', before.detailCursor]);
});

test('a pane that was gone to by its number has no way back', async () => {
	await using shown = await showShell(twoRuns(), narrow);
	await shown.screen.press('o', '8', '7', 'esc');

	expect(shown.shell.view.get().pane).toBe('runs');
});

test('a filter that gave way to the run that was gone to is there again when the pane is left', async () => {
	await using shown = await showShell(twoRuns(), narrow, {filters: {runs: 'state:dead'}});
	const {list, view} = shown.shell;
	await shown.screen.press('o');
	expect([list(runList).selectedKey(), list(runList).get().filterText]).toEqual(['8', '']);
	await shown.screen.press('esc');

	expect([view.get().pane, list(runList).get().filterText]).toEqual(['traffic', 'state:dead']);
});

test('the approvals of one run hide those of others only until the pane is left', async () => {
	await using shown = await showShell(twoRuns(), narrow, {pane: 'runs'});
	const {list} = shown.shell;
	await shown.screen.press('j', 'A');
	await shown.pass(0);
	expect(list(entryList).get().items).toHaveLength(1);
	expect(stateOf(shown.shell).filters).toMatchObject({approvals: ''});
	await shown.screen.press('1', '6');

	expect(list(entryList).get().items).toHaveLength(2);
});

test('what a person made of such a filter is theirs: Esc clears it, then goes back, and it is kept', async () => {
	await using shown = await showShell(twoRuns(), narrow, {pane: 'runs'});
	const {list, view} = shown.shell;
	await shown.screen.press('j', 'A');
	await shown.pass(0);
	await shown.screen.press('/');
	await shown.screen.type(' kind:waiting');
	await shown.screen.press('enter', '1', '6');
	expect(list(entryList).get().filterText).toBe('run:7 kind:waiting');

	await shown.screen.press('7', 'A');
	await shown.pass(0);
	await shown.screen.press('/');
	await shown.screen.type(' x');
	await shown.screen.press('enter', 'esc');
	expect(view.get().pane).toBe('approvals');
	await shown.screen.press('esc');
	expect(view.get().pane).toBe('runs');
});
