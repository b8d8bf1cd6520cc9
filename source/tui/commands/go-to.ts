import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {groupList} from '../panes/groups/group-list.ts';
import {jobList} from '../panes/groups/job-list.ts';
import {focusJobs} from '../panes/groups/sections.ts';
import {runList} from '../panes/runs/run-list.ts';
import {deliveryList} from '../panes/traffic/delivery-list.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import {openPane} from './navigate.ts';

/** Selects the item with this key; its filter gives way to it. Says `gone` when it is not in the list. */
function select(
	shell: Shell,
	list: AnyList,
	{key, gone}: {readonly key: string; readonly gone: Safe},
) {
	if (list.select(key)) {
		return;
	}

	list.setFilter('');
	if (list.select(key)) {
		return;
	}

	shell.attempt(async () => {
		if (!(await list.find(key))) {
			shell.toast(gone, 'warn');
		}
	});
}

/** Selects a run in its pane. */
export function goToRun(shell: Shell, id: number): void {
	openPane(shell, runList.id);
	select(shell, shell.list(runList), {
		key: String(id),
		gone: safe`Run #${id} is no longer in the list`,
	});
}

/** Selects a delivery in its pane. */
export function goToDelivery(shell: Shell, id: string): void {
	openPane(shell, deliveryList.id);
	const row = shell.feed.get().state.deliveries.findLast(({delivery}) => delivery.id === id);
	select(shell, shell.list(deliveryList), {
		key: row?.key ?? id,
		gone: literal('That delivery is no longer in the list'),
	});
}

/** Selects a group in its pane; one that is no longer listed has left a run, perhaps. */
export function goToGroup(shell: Shell, id: number): void {
	const {runs, groups} = shell.feed.get().state;
	const run = runs.findLast(({group}) => group === id);
	if (run && !groups.some(group => group.id === id)) {
		goToRun(shell, run.id);
		return;
	}

	openPane(shell, groupList.id);
	focusJobs(shell, false);
	select(shell, shell.list(groupList), {
		key: String(id),
		gone: literal('That group is no longer in the list'),
	});
}

/** Selects a job, under the groups. */
export function goToJob(shell: Shell, key: string): void {
	openPane(shell, groupList.id);
	focusJobs(shell, true);
	select(shell, shell.list(jobList), {key, gone: literal('That job is gone')});
}
