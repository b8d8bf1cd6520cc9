import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {deliveryList} from '../entries/delivery-list.ts';
import {entryList, runList} from '../entries/lists.ts';
import {focusJobs, groupList, jobList} from '../entries/sections.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import {jumpTo} from './jump.ts';
import {setTemporaryFilter} from './temporary-filter.ts';

/** Selects the item with this key, clearing the list's filter if that hides it. Shows `gone` when the item is not in the list. */
function select(
	shell: Shell,
	list: AnyList,
	{key, gone}: {readonly key: string; readonly gone: Safe},
) {
	if (list.select(key)) {
		return;
	}

	setTemporaryFilter(shell, list, '');
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
	jumpTo(shell, runList);
	select(shell, shell.list(runList), {
		key: String(id),
		gone: safe`Run #${id} is no longer in the list`,
	});
}

/** Selects a delivery in its pane. */
export function goToDelivery(shell: Shell, id: string): void {
	jumpTo(shell, deliveryList);
	const row = shell.feed.get().state.deliveries.findLast(({delivery}) => delivery.id === id);
	select(shell, shell.list(deliveryList), {
		key: row?.key ?? id,
		gone: literal('That delivery is no longer in the list'),
	});
}

/** Shows the deliveries of a route, and selects the newest one. */
export function goToTraffic(shell: Shell, route: string): void {
	jumpTo(shell, deliveryList);
	const deliveries = shell.list(deliveryList);
	setTemporaryFilter(shell, deliveries, `route:${route}`);
	deliveries.move('follow');
}

/** Selects a group in its pane; if the group is no longer listed, its run. */
export function goToGroupOrRun(shell: Shell, id: number): void {
	const {runs, groups} = shell.feed.get().state;
	const run = runs.findLast(({group}) => group === id);
	if (run && !groups.some(group => group.id === id)) {
		goToRun(shell, run.id);
	} else {
		goToGroup(shell, id);
	}
}

/** Selects a group in its pane. A group that is only in the journal is fetched by a temporary filter for its id. */
export function goToGroup(shell: Shell, id: number): void {
	jumpTo(shell, groupList);
	focusJobs(shell, false);
	const groups = shell.list(groupList);
	if (shell.feed.get().state.groups.some(group => group.id === id)) {
		select(shell, groups, {key: String(id), gone: literal('')});
		return;
	}

	shell.attempt(async () => {
		if (await shell.port.getGroup(id)) {
			setTemporaryFilter(shell, groups, `id:${id}`);
		} else {
			shell.toast(safe`Group ${id} is not in the journal any more`, 'warn');
		}
	});
}

/** Shows only the approvals of a run, also those that are only in the journal, until the pane is left. */
export function goToApprovals(shell: Shell, run: number): void {
	const filter = `run:${run}`;
	const {approvals, settledApprovals} = shell.feed.get().state;
	const isListed = [...approvals, ...settledApprovals].some(one => one.run === run);
	shell.attempt(async () => {
		if (!isListed && !(await isInJournal(shell, filter))) {
			shell.toast(safe`Run #${run} asked nobody, or the journal has it no more`, 'warn');
			return;
		}

		jumpTo(shell, entryList);
		setTemporaryFilter(shell, shell.list(entryList), filter);
	});
}

const isInJournal = async ({port}: Shell, filter: string): Promise<boolean> => {
	let before: number | undefined;
	do {
		// oxlint-disable-next-line no-await-in-loop -- each step says where the next one begins
		const {items, searchedTo} = await port.searchApprovals({
			filter,
			limit: 1,
			...(before !== undefined && {before}),
		});
		if (items.length > 0) {
			return true;
		}

		before = searchedTo;
	} while (before !== undefined);

	return false;
};

/** Selects a job, below the groups in their pane. */
export function goToJob(shell: Shell, key: string): void {
	jumpTo(shell, jobList, {pane: groupList.id});
	focusJobs(shell, true);
	select(shell, shell.list(jobList), {key, gone: literal('That job is gone')});
}
