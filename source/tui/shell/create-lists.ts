import {atFirst} from '../list/window.ts';
import {
	approvalVocabulary,
	createApprovalEntries,
	entryKey,
} from '../panes/approvals/approval-entry.ts';
import {groupVocabulary} from '../panes/groups/group-filter.ts';
import {groupOrder} from '../panes/groups/group-order.ts';
import {jobKey, jobVocabulary} from '../panes/groups/job-key.ts';
import {sectionsNow} from '../panes/groups/sections.ts';
import {createLogRows, logVocabulary} from '../panes/logs/log-row.ts';
import {paneOf} from '../panes/pane.ts';
import {runVocabulary} from '../panes/runs/run-word.ts';
import {routeKey, routeVocabulary} from '../panes/subs/route-key.ts';
import {reasonRows} from '../panes/tools/server-columns.ts';
import {serverKey, serverVocabulary} from '../panes/tools/server-key.ts';
import {trafficVocabulary} from '../panes/traffic/traffic-filter.ts';
import type {Feed} from '../state/feed.ts';
import type {Layout} from '../state/layout.ts';
import {createList} from '../state/list.ts';
import type {Store} from '../state/store.ts';
import type {KeptFilters, PaneId, ViewState} from '../state/view.ts';
import type {Shell} from './shell.ts';

/** Headings that the rows of pane 6 may have between them. */
const approvalHeadings = 3;

/** The lists of all panes. */
export function createLists({
	feed,
	view,
	layout,
	filters,
}: {
	readonly feed: Feed;
	readonly view: Store<ViewState>;
	readonly layout: () => Layout;
	readonly filters: KeptFilters;
}): Shell['lists'] {
	const logRows = createLogRows();
	const approvalEntries = createApprovalEntries();
	const heightOf = (pane: PaneId) => () =>
		Math.max(0, layout().bodyHeight - paneOf(pane).headerRows);
	const sections = () =>
		sectionsNow(feed.get().state, {
			width: view.get().size.columns,
			height: layout().bodyHeight,
		});
	return {
		traffic: createList(feed, {
			keyOf: row => row.key,
			vocabulary: trafficVocabulary,
			read: state => state.deliveries,
			height: heightOf('traffic'),
			filter: filters.traffic ?? '',
		}),
		runs: createList(feed, {
			keyOf: run => String(run.id),
			vocabulary: runVocabulary,
			read: state => state.runs,
			height: heightOf('runs'),
			newestFirst: true,
			filter: filters.runs ?? '',
		}),
		logs: createList(feed, {
			keyOf: row => row.key,
			vocabulary: logVocabulary,
			read: state => logRows(state.logs, {...view.get().logs, width: view.get().size.columns}),
			height: heightOf('logs'),
			filter: filters.logs ?? '',
		}),
		groups: createList(feed, {
			keyOf: group => String(group.id),
			vocabulary: groupVocabulary,
			read: state => groupOrder(state.groups).all,
			height: () => sections().groupRows,
			position: atFirst,
			filter: filters.groups ?? '',
		}),
		jobs: createList(feed, {
			keyOf: jobKey,
			vocabulary: jobVocabulary,
			read: state => state.jobs,
			height: () => sections().jobRows,
			position: atFirst,
			filter: filters.jobs ?? '',
		}),
		subs: createList(feed, {
			keyOf: routeKey,
			vocabulary: routeVocabulary,
			read: state => state.routes,
			height: heightOf('subs'),
			position: atFirst,
			filter: filters.subs ?? '',
		}),
		tools: createList(feed, {
			keyOf: serverKey,
			vocabulary: serverVocabulary,
			read: state => state.servers,
			height() {
				const height = heightOf('tools')();
				return Math.max(0, height - reasonRows(feed.get().state.servers, height));
			},
			position: atFirst,
			filter: filters.tools ?? '',
		}),
		approvals: createList(feed, {
			keyOf: entryKey,
			vocabulary: approvalVocabulary,
			read: approvalEntries,
			height: () => Math.max(0, heightOf('approvals')() - approvalHeadings),
			position: atFirst,
			filter: filters.approvals ?? '',
		}),
	};
}
