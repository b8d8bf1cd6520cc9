import {logDetail} from '../logs/log-detail.ts';
import {runDetail} from '../runs/run-detail.ts';
import type {Shell} from '../shell/shell.ts';
import type {AnyList} from '../state/list.ts';
import type {PaneId} from '../state/view.ts';
import {routeDetail} from '../subs/route-detail.ts';
import {trafficDetail} from '../traffic/traffic-detail.ts';
import type {Line} from './line.ts';
import {createMemory} from './remember.ts';

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

	const makers: Readonly<Partial<Record<PaneId, (width: number) => readonly Line[]>>> = {
		traffic(width) {
			const delivery = lists.traffic.selected()?.delivery;
			const loaded = details.delivery.get();
			const run = feed.get().state.runs.findLast(other => other.id === delivery?.runId);
			return remember(['traffic', delivery, loaded, run, width], () =>
				delivery ? trafficDetail(delivery, {loaded, run}, width) : nothing,
			);
		},
		runs(width) {
			const run = lists.runs.selected();
			const {state, now} = feed.get();
			const loaded = details.run.get();
			const progress = run && state.progress[run.id];
			const second = run?.finishedAt === undefined ? Math.floor(now / 1000) : 0;
			return remember(['runs', run, loaded, progress, second, width], () =>
				run ? runDetail(run, {progress, loaded, now}, width) : nothing,
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
			const delivery = pane === 'traffic' && showsDetail ? lists.traffic.selected() : undefined;
			const run = pane === 'runs' && showsDetail ? lists.runs.selected() : undefined;
			details.delivery.want(delivery?.delivery.id ?? '', restMs(lists.traffic));
			details.run.want(run ? `${run.id} ${run.state}` : '', restMs(lists.runs));
		},
	};
}

/** How long a selection must rest before its detail is loaded: a list that follows may move ten times a second by itself. */
const restMs = (list: AnyList): number => (list.get().isFollowing ? 400 : 80);

/** Whether `row` holds `text` (lower case), whatever its own case. */
export const holds = (row: Line, text: string): boolean =>
	row.some(span => span.text.toLowerCase().includes(text));
