import type {ApiKey} from './api-key.ts';
import type {Approval, ApprovalRule} from './approval.ts';
import type {AlertView, ModelView, PlatformView, Diagnostic, RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import type {HealthSample} from './events.ts';
import type {Group} from './group.ts';
import type {WaitingInstall} from './install.ts';
import type {JobView} from './job.ts';
import type {LogRecord} from './log.ts';
import type {RunQueue} from './run-queue.ts';
import {needsDecision, type Run, type TranscriptEntry} from './run.ts';
import type {ServerView} from './tool-server.ts';
import type {TrafficMinute} from './traffic.ts';

/** The state of the receiver. */
export type WebhookState =
	| {readonly state: 'starting'}
	| {readonly state: 'listening'; readonly url: string}
	| {
			readonly state: 'refused';
			readonly code: string;
			readonly reason: string;
			readonly since: number;
	  }
	| {readonly state: 'disabled'}
	| {readonly state: 'closed'};

/** The state of the chat API. */
export type ApiState = WebhookState;

/** A reason for which deliveries of a row were refused. */
type RefusalReason = {
	/** Detail of the stopping step of the newest such delivery, at most 300 characters. */
	readonly detail: string;
	readonly count: number;
};

/** Deliveries of one route with the same rejection that came close together, shown as one row (`429 rate ×48`). */
export type DeliveryRow = {
	/** Stable while the row grows: `Delivery.id` of its first delivery. */
	readonly key: string;
	/** The newest delivery of the row. */
	readonly delivery: Delivery;
	/** How many deliveries the row stands for; 1 for most. */
	readonly count: number;
	/** When the first delivery of a row with several was received, milliseconds since 1970. */
	readonly firstAt?: number;
	/** Requested routes of a row of several, the newest last, at most five; more than one only for unknown routes. */
	readonly routes?: readonly string[];
	/** Reasons of a row of several, the newest last, at most `limits.reasons`; details that differ only in numbers count as one. */
	readonly reasons?: readonly RefusalReason[];
	/** Number of deliveries refused for reasons that are no longer in `reasons`. */
	readonly otherReasons?: number;
};

/** The latest counts of the journal. */
export type JournalCounts = {
	readonly deliveries: number;
	readonly runs: number;
	/** Runs of any age that need a decision. */
	readonly runsToDecide: number;
};

/** An answer that the model still streams. Redacted, not cleaned. */
export type RunSaid = {
	/** When its latest part was received, milliseconds since 1970. */
	readonly at: number;
	/** Number of its characters (UTF-16 units) before `text`. */
	readonly from: number;
	/** Its end, at most `limits.saidCharacters`. */
	readonly text: string;
};

/** Time without a sign after which a member of a cluster is gone, milliseconds. */
export const goneMs = 60_000;
/** Delay above which notes of other gateways are late, milliseconds. */
export const lateNotesMs = 2000;

/** A gateway on a store that several share. */
export type ClusterMember = {
	readonly node: string;
	/** Not seen for a minute. */
	readonly isGone: boolean;
	/** Number of runs that it works on. */
	readonly leases: number;
};

/** The state that `reduce` derives from the events. Immutable; every list is capped, oldest first. */
export type GatewayState = {
	readonly gateway: {
		readonly pid: number;
		readonly version: string;
		readonly home: string;
		readonly profile: string;
		readonly startedAt: number;
		readonly stopping: boolean;
		/** `false` when an attached face lost its gateway: the state is outdated then. */
		readonly reachable: boolean;
		/** Why an attached face could not read a message of its gateway; until the whole state has been sent again. */
		readonly skipped?: string;
	};
	readonly webhook: WebhookState;
	/** Absent from gateways without a chat API. */
	readonly api?: ApiState;
	/** Keys of the chat API, oldest first, at most `limits.keys`; never a secret. Absent: not known. */
	readonly keys?: readonly ApiKey[];
	readonly routes: readonly RouteView[];
	/** At most `limits.deliveries`, with a per-route quota so that a flood cannot push the others out. */
	readonly deliveries: readonly DeliveryRow[];
	/** At most `limits.pendingGroups` pending ones by due time, then the newest `limits.dispatchedGroups` dispatched ones. */
	readonly groups: readonly Group[];
	readonly jobs: readonly JobView[];
	/** Waiting approvals, oldest first; at most `limits.waitingApprovals`. */
	readonly approvals: readonly Approval[];
	/** The newest `limits.settledApprovals` settled ones, oldest first. */
	readonly settledApprovals: readonly Approval[];
	/** Standing rules, oldest first. */
	readonly approvalRules: readonly ApprovalRule[];
	/** Install links that wait for a person, oldest first; may include expired ones. */
	readonly installs?: readonly WaitingInstall[];
	/** Tool servers by profile, the gateway's own first, and name. */
	readonly servers: readonly ServerView[];
	/** At most `limits.runs`. */
	readonly runs: readonly Run[];
	/** Absent before the first count, and from gateways that do not count. */
	readonly journal?: JournalCounts;
	/** The latest count of the queue, which `runs` may hold only in part. Absent as `journal` is. */
	readonly queue?: RunQueue;
	/** Why the store cannot be written; absent while it can. */
	readonly storeFailing?: string;
	/** When `storeFailing` began, milliseconds since 1970. */
	readonly storeFailingSince?: number;
	/** Delay of the notes of other gateways, milliseconds, while it is above two seconds. */
	readonly notesLagMs?: number;
	/** The gateways on a shared store, none before it is open; absent without sharing. */
	readonly cluster?: readonly ClusterMember[];
	/** The lists above are complete from this delivery, and this run, on; older entries may have gaps. Absent: not known. */
	readonly wholeFrom?: {readonly delivery?: string; readonly run?: number};
	/** Last transcript entries of active runs, by run id. */
	readonly progress: Readonly<Record<number, readonly TranscriptEntry[]>>;
	/** Answers being streamed, by run id. Absent: none. */
	readonly said?: Readonly<Record<number, RunSaid>>;
	/** At most `limits.logs`. */
	readonly logs: readonly LogRecord[];
	readonly model?: ModelView;
	/** Why the configured model cannot be used. */
	readonly modelProblem?: string;
	/** Since when calls of the model fail, and the latest reason; absent while it answers. */
	readonly modelSilence?: {readonly since: number; readonly reason: string};
	/** A model that costs money: faces ask the person once; `GatewayPort.useModel` accepts it. */
	readonly modelOffer?: ModelView;
	readonly platforms: readonly PlatformView[];
	/** The entries of `alerts`. Absent from older gateways. */
	readonly alerts?: readonly AlertView[];
	/** Errors and warnings of the last reload. */
	readonly problems: readonly Diagnostic[];
	readonly health?: HealthSample;
	/** Requests by minute, of the hour before the newest one; includes those in the journal at the start. */
	readonly traffic?: readonly TrafficMinute[];
	/** Totals since the start. */
	readonly totals: {
		/** Requests without those answered 401 or 404, which any stranger can send. */
		readonly received: number;
		/** Requests of `received` with a status below 400. */
		readonly ok: number;
		readonly groupsDispatched: number;
		readonly runsDone: number;
		readonly runsFailed: number;
	};
};

/** Number of runs that need a decision: the journal includes runs beyond the state, the state includes runs since the count. */
export const runsToDecide = ({runs, journal}: Pick<GatewayState, 'runs' | 'journal'>): number =>
	Math.max(journal?.runsToDecide ?? 0, runs.filter(needsDecision).length);

export const limits = {
	deliveries: 5000,
	pendingGroups: 2000,
	dispatchedGroups: 100,
	waitingApprovals: 200,
	settledApprovals: 500,
	runs: 1000,
	logs: 2000,
	progressEntries: 200,
	saidCharacters: 16_000,
	keys: 2000,
	groupAfter: 3,
	reasons: 8,
} as const;

/** The state before the first event. */
export const initialState: GatewayState = {
	gateway: {
		pid: 0,
		version: '',
		home: '',
		profile: 'default',
		startedAt: 0,
		stopping: false,
		reachable: true,
	},
	webhook: {state: 'starting'},
	routes: [],
	deliveries: [],
	groups: [],
	jobs: [],
	approvals: [],
	settledApprovals: [],
	approvalRules: [],
	servers: [],
	runs: [],
	progress: {},
	logs: [],
	platforms: [],
	problems: [],
	totals: {received: 0, ok: 0, groupsDispatched: 0, runsDone: 0, runsFailed: 0},
};
