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

/** A reason why deliveries of a row were refused. */
type RefusalReason = {
	/** `detail` of the step that stopped the newest of these deliveries, at most 300 characters. */
	readonly detail: string;
	readonly count: number;
};

/** A delivery, or several close together that one route rejected with the same outcome (`429 rate ×48`). */
export type DeliveryRow = {
	/** Stable while the row grows: `Delivery.id` of its first delivery. */
	readonly key: string;
	/** The newest delivery of the row. */
	readonly delivery: Delivery;
	/** Number of deliveries in the row; usually 1. */
	readonly count: number;
	/** Receipt of the first delivery, milliseconds since 1970; only in a row of several. */
	readonly firstAt?: number;
	/** Requested routes, the newest last, at most five; only in a row of several. More than one only for unknown routes. */
	readonly routes?: readonly string[];
	/** Reasons, the newest last, at most `limits.reasons`; only in a row of several. Details that differ only in numbers count as one. */
	readonly reasons?: readonly RefusalReason[];
	/** Number of deliveries refused for reasons that are no longer in `reasons`. */
	readonly otherReasons?: number;
};

/** The latest counts of the journal. */
export type JournalCounts = {
	readonly deliveries: number;
	readonly runs: number;
	/** Number of runs of any age that need a decision. */
	readonly runsToDecide: number;
};

/** An answer that is being streamed. Redacted, not cleaned. */
export type RunSaid = {
	/** Receipt of the latest part, milliseconds since 1970. */
	readonly at: number;
	/** Number of characters of the answer (UTF-16 units) before `text`. */
	readonly from: number;
	/** The end of the answer so far, at most `limits.saidCharacters`. */
	readonly text: string;
};

/** Time since the last sign of life after which a member of a cluster counts as gone, milliseconds. */
export const goneMs = 60_000;
/** Delay above which notifications of other gateways count as late, milliseconds. */
export const lateNotesMs = 2000;

/** A gateway on a shared store. */
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
		/** Why an attached face could not read a message of its gateway; absent again once the whole state has been resent. */
		readonly skipped?: string;
	};
	readonly webhook: WebhookState;
	/** Absent from gateways without a chat API. */
	readonly api?: ApiState;
	/** Keys of the chat API, oldest first, at most `limits.keys`; never a secret. Absent: not known. */
	readonly keys?: readonly ApiKey[];
	readonly routes: readonly RouteView[];
	/** At most `limits.deliveries`, with a quota per route so that a flood of one route cannot push out the others. */
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
	/** Absent before the first count, and if the gateway does not count. */
	readonly journal?: JournalCounts;
	/** The latest counts of the queue; `runs` may hold only some of its runs. Absent in the same cases as `journal`. */
	readonly queue?: RunQueue;
	/** Why the store cannot be written; absent while it can. */
	readonly storeFailing?: string;
	/** When `storeFailing` began, milliseconds since 1970. */
	readonly storeFailingSince?: number;
	/** Delay of notifications of other gateways, milliseconds; absent if it is not above two seconds. */
	readonly notesLagMs?: number;
	/** The gateways on the shared store; empty until the store is open, absent if it is not shared. */
	readonly cluster?: readonly ClusterMember[];
	/** The first delivery and the first run from which the lists above have no gaps. Absent: not known. */
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
	/** Start of repeated failures of model calls, milliseconds since 1970, and the latest reason; absent while the model answers. */
	readonly modelSilence?: {readonly since: number; readonly reason: string};
	/** A model that could be used, but costs money: faces ask the person once. `GatewayPort.useModel` accepts the offer. */
	readonly modelOffer?: ModelView;
	readonly platforms: readonly PlatformView[];
	/** The entries of `alerts`. Absent from older gateways. */
	readonly alerts?: readonly AlertView[];
	/** Errors and warnings of the last reload. */
	readonly problems: readonly Diagnostic[];
	readonly health?: HealthSample;
	/** Requests per minute in the hour up to the newest request; includes requests journaled before the start. */
	readonly traffic?: readonly TrafficMinute[];
	/** Totals since the start. */
	readonly totals: {
		/** Requests, except those answered 401 or 404, which any stranger can cause. */
		readonly received: number;
		/** Requests of `received` with a status below 400. */
		readonly ok: number;
		readonly groupsDispatched: number;
		readonly runsDone: number;
		readonly runsFailed: number;
	};
};

/** Number of runs that need a decision: the greater count, as the state lacks old runs, and the count of the journal lacks new ones. */
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
