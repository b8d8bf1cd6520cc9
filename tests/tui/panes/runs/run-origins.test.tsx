import {expect, test} from 'vitest';
import {limits} from '../../../../source/core/state.ts';
import {entryList} from '../../../../source/tui/entries/lists.ts';
import {groupList} from '../../../../source/tui/entries/sections.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {makeToolApproval} from '../../../helpers/make-approval.ts';
import {makeGroup, makeRun} from '../../../helpers/make.ts';
import {showShell} from '../../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

/** A run whose group and approval are older than what the state has. */
function oldRun() {
	const old = makeGroup({id: 7, runId: 184, state: 'dispatched', dispatchedAt: 1, count: 3});
	const done = Array.from({length: limits.dispatchedGroups}, (_, index) =>
		makeGroup({id: 5000 + index, runId: 5000 + index, state: 'dispatched', dispatchedAt: 2}),
	);
	const asked = makeToolApproval({
		id: 3,
		run: 184,
		decision: {outcome: 'denied', at: 2, by: 'tui (bob)'},
	});
	const settled = Array.from({length: limits.settledApprovals}, (_, index) => ({
		...asked,
		id: 100 + index,
		run: 9000,
	}));
	const port = createFakePort({
		runs: [makeRun({id: 184, group: 7})],
		groups: done,
		settledApprovals: settled,
	});
	port.groups.set(7, {...old, members: []});
	port.searchGroups = async ({filter}) => ({
		items: filter === 'id:7' ? [old] : [],
		scanned: 1,
	});
	port.searchApprovals = async ({filter, before}) =>
		before === undefined
			? {items: [], scanned: 1, searchedTo: 50}
			: {items: filter === 'run:184' ? [asked] : [], scanned: 1};
	return port;
}

test('the group of a run is found in the journal, too', async () => {
	await using shown = await showShell(oldRun(), narrow, {pane: 'runs'});
	await shown.screen.press('b');
	await shown.pass(200);
	expect(shown.shell.pane().id).toBe('groups');
	expect(shown.shell.list(groupList).selectedKey()).toBe('7');
	expect(shown.shell.list(groupList).get().filterText).toBe('id:7');
});

test('so are the approvals that it asked for; of a run that asked nobody it is said', async () => {
	const port = oldRun();
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press('A');
	await shown.pass(200);
	expect(shown.shell.pane().id).toBe('approvals');
	expect(shown.shell.list(entryList).get().items).toMatchObject([{approval: {id: 3}}]);

	port.searchApprovals = async () => ({items: [], scanned: 1});
	await shown.screen.press('7', 'A');
	await shown.pass(200);
	expect(shown.shell.pane().id).toBe('runs');
	expect(shown.said()).toContain('Run #184 asked nobody');
});

test('its detail leaves what the prompt took of the payload to the sheet', async () => {
	const port = createFakePort({runs: [makeRun({id: 184})]});
	port.runs.set(184, {
		...makeRun({id: 184}),
		plan: {
			prompt: 'x',
			read: ['number', 'pull_request.title'],
			target: {kind: 'log', extra: {}},
			skills: [],
		},
		transcript: [],
	});
	await using shown = await showShell(port, narrow, {pane: 'runs'});
	await shown.screen.press('enter');
	await shown.pass(500);
	expect(shown.text()).not.toContain('pull_request.title');
});
