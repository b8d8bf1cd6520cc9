import type {Clock} from '../../core/clock.ts';
import type {RouteView} from '../../core/config-view.ts';
import type {StoredDelivery} from '../../core/delivery.ts';
import type {Group} from '../../core/group.ts';
import type {JobView} from '../../core/job.ts';
import type {Run, StoredRun} from '../../core/run.ts';
import type {DeliveryRow} from '../../core/state.ts';
import type {ServerView} from '../../core/tool-server.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Guard} from '../approvals/guard.ts';
import type {ApprovalEntry} from '../panes/approvals/approval-entry.ts';
import type {Details} from '../panes/detail.ts';
import type {GroupContent} from '../panes/groups/group-detail.ts';
import type {Line} from '../panes/line.ts';
import type {LogRow} from '../panes/logs/log-row.ts';
import type {Feed} from '../state/feed.ts';
import type {Layout} from '../state/layout.ts';
import type {List} from '../state/list.ts';
import type {Loader} from '../state/loader.ts';
import type {Store} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import type {Tone} from '../theme/theme.ts';

/** What the interface asks of the terminal and the machine around it. */
export type Desktop = {
	/** Puts `text` on the clipboard; says how, for the toast. */
	copy(text: string): Promise<Safe>;
	/** Opens `text` in the person's editor; the gateway goes on meanwhile. `undefined` when it was left unchanged. */
	edit(text: string, suffix: string): Promise<string | undefined>;
	/** Keeps `text` in a file `name` of the home's cache, in place of an older one; its path. */
	keep(name: string, text: string): Promise<Safe>;
	/** Opens `text` in the person's pager. */
	page(text: string): Promise<void>;
	/** Opens a file in the person's editor, at the line that `lineOf` finds in its text (from 1). */
	openFile(path: string, lineOf: (text: string) => number | undefined): Promise<void>;
	/** Rings the bell of the terminal. */
	ring(): void;
	/** Draws every row anew. */
	redraw(): void;
	leave(): void;
};

/** Everything that a command may use, and every component reads. */
export type Shell = {
	readonly port: GatewayPort;
	readonly clock: Clock;
	readonly feed: Feed;
	readonly view: Store<ViewState>;
	readonly desktop: Desktop;
	readonly version: Safe;
	readonly ssh: boolean;
	/** Who answers approvals here. */
	readonly by: string;
	/** Which key presses may allow something. */
	readonly guard: Guard;
	layout(): Layout;
	/** The rows above the pane; the same array while nothing changed. */
	banners(): readonly Line[];
	readonly lists: {
		readonly traffic: List<DeliveryRow>;
		readonly groups: List<Group>;
		readonly jobs: List<JobView>;
		readonly runs: List<Run>;
		readonly logs: List<LogRow>;
		readonly subs: List<RouteView>;
		readonly tools: List<ServerView>;
		readonly approvals: List<ApprovalEntry>;
	};
	readonly details: {
		readonly delivery: Loader<StoredDelivery>;
		readonly run: Loader<StoredRun>;
		readonly group: Loader<GroupContent>;
	};
	/** What stands beside the list of the open pane. */
	readonly detail: Details;
	/** Shows a line in the last row for four seconds. */
	toast(text: Safe, tone?: Tone): void;
	/** Does something that may fail; a failure becomes a toast. */
	attempt(action: () => Promise<void>): void;
} & Disposable;
