import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {Loaded} from '../state/loader.ts';
import type {PaneId} from '../state/view.ts';
import {entryDetail} from './approvals/approval-detail.ts';
import {groupDetail, type GroupContent} from './groups/group-detail.ts';
import {jobDetail} from './groups/job-detail.ts';
import {jobsHaveFocus} from './groups/sections.ts';
import type {Line} from './line.ts';
import {logDetail} from './logs/log-detail.ts';
import {createMemory} from './remember.ts';
import {runDetail} from './runs/run-detail.ts';
import {runOf} from './runs/run-of.ts';
import {routeDetail} from './subs/route-detail.ts';
import {serverDetail} from './tools/server-detail.ts';
import {trafficDetail} from './traffic/traffic-detail.ts';

/** What stands beside the list of a pane. */
export type Details = {
	/** The rows of the detail that belongs to the selected item; the same array while nothing changed. */
	lines(): readonly Line[];
	/** Tells the loaders what is looked at; to be called when that may have changed. */
	want(): void;
};

const nothing: readonly Line[] = [];

/** The details of every pane, laid out for the width they have now. */
export function createDetails(shell: Omit<Shell, 'detail' | typeof Symbol.dispose>): Details {
	const remember = createMemory<readonly Line[]>();
	const {lists, details, feed, view} = shell;

	/** What was loaded of a group stays while its next event is loaded. */
	let lastGroup: Loaded<GroupContent> | undefined;
	const groupLines = (width: number) => {
		const selected = lists.groups.selected();
		const {state, now} = feed.get();
		const loaded = details.group.get();
		lastGroup = loaded.status === 'ready' ? loaded : lastGroup;
		const isKnown =
			loaded.status === 'loading' &&
			lastGroup?.status === 'ready' &&
			lastGroup.value.group.id === selected?.id;
		const shown = isKnown && lastGroup ? lastGroup : loaded;
		const run = runOf(state.runs, selected?.runId);
		const second = selected?.state === 'pending' ? Math.floor(now / 1000) : 0;
		return remember(['group', selected, shown, run, second, width], () =>
			selected ? groupDetail(selected, {loaded: shown, run, now}, width) : nothing,
		);
	};

	const jobLines = (width: number) => {
		const selected = lists.jobs.selected();
		const {state, now} = feed.get();
		const loaded = details.run.get();
		const run = runOf(state.runs, selected?.lastRunId);
		const second = Math.floor(now / 1000);
		return remember(['job', selected, loaded, run, second, width], () =>
			selected ? jobDetail(selected, {loaded, run, now}, width) : nothing,
		);
	};

	const makers: Readonly<Partial<Record<PaneId, (width: number) => readonly Line[]>>> = {
		traffic(width) {
			const row = lists.traffic.selected();
			const {runId, group: groupId} = row?.delivery ?? {};
			const loaded = details.delivery.get();
			const {runs, groups} = feed.get().state;
			const run = runOf(runs, runId);
			const group = groups.find(other => other.id === groupId);
			return remember(['traffic', row, loaded, run, group, width], () =>
				row ? trafficDetail(row, {loaded, run, group}, width) : nothing,
			);
		},
		groups: width => (jobsHaveFocus(shell) ? jobLines(width) : groupLines(width)),
		runs(width) {
			const run = lists.runs.selected();
			const {state, now} = feed.get();
			const loaded = details.run.get();
			const progress = run && state.progress[run.id];
			const second = run?.finishedAt === undefined ? Math.floor(now / 1000) : 0;
			const approval = state.approvals.find(other => other.run === run?.id);
			return remember(['runs', run, loaded, progress, approval, second, width], () =>
				run ? runDetail(run, {progress, loaded, now, approval}, width) : nothing,
			);
		},
		tools(width) {
			const server = lists.tools.selected();
			const {settledApprovals: calls} = feed.get().state;
			return remember(['tools', server, calls, width], () =>
				server ? serverDetail(server, {calls, width}) : nothing,
			);
		},
		approvals(width) {
			const entry = lists.approvals.selected();
			const {state, now} = feed.get();
			const second = entry?.kind === 'waiting' ? Math.floor(now / 1000) : 0;
			return remember(['approvals', entry, second, width], () =>
				entry ? entryDetail(entry, {state, now}, width) : nothing,
			);
		},
		logs(width) {
			const row = lists.logs.selected();
			return remember(['logs', row?.record, width], () => (row ? logDetail(row, width) : nothing));
		},
		subs(width) {
			const route = lists.subs.selected();
			return remember(['subs', route, width], () => (route ? routeDetail(route, width) : nothing));
		},
	};

	return {
		lines() {
			const {detailWidth, showsDetail} = shell.layout();
			return showsDetail ? (makers[view.get().pane]?.(detailWidth) ?? nothing) : nothing;
		},
		want() {
			const {pane} = view.get();
			const {showsDetail} = shell.layout();
			const isIn = (other: PaneId) => pane === other && showsDetail;
			const delivery = isIn('traffic') ? lists.traffic.selected() : undefined;
			details.delivery.want(delivery?.delivery.id ?? '', restMs(lists.traffic));
			const isJob = isIn('groups') && jobsHaveFocus(shell);
			const ofJob = isJob ? lists.jobs.selected()?.lastRunId : undefined;
			const run = isIn('runs') ? lists.runs.selected() : runOf(feed.get().state.runs, ofJob);
			details.run.want(run ? `${run.id} ${run.state}` : keyOf(ofJob), restMs(lists.runs));
			const {id, count, state} = (isIn('groups') && !isJob && lists.groups.selected()) || {};
			details.group.want(id === undefined ? '' : `${id} ${count} ${state}`, selectionRestMs);
		},
	};
}

/** How long a selection must rest before its detail is loaded: a list that follows may move ten times a second by itself. */
const restMs = (list: AnyList): number => (list.get().isFollowing ? 400 : selectionRestMs);

const selectionRestMs = 80;

/** A run that is no longer in the list is stored all the same. */
const keyOf = (runId: number | undefined): string => (runId === undefined ? '' : String(runId));

/** Whether `row` holds `text` (lower case), whatever its own case. */
export const holds = (row: Line, text: string): boolean =>
	row.some(span => span.text.toLowerCase().includes(text));
