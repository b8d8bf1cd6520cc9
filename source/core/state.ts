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

/** Whether the receiver serves, and if not, why. */
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

/** The same of the chat API. */
export type ApiState = WebhookState;

/** Why some of the deliveries of one row were refused. */
type RefusalReason = {
	/** What the step that stopped says of the newest of them, at most 300 characters. */
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
	/** When the first of several came, milliseconds since 1970. */
	readonly firstAt?: number;
	/** Routes that several asked for, the newest last, at most five; more than one only where no such route exists. */
	readonly routes?: readonly string[];
	/** Why several were refused, the newest last, at most `limits.reasons`; details that differ in their numbers alone are one. */
	readonly reasons?: readonly RefusalReason[];
	/** How many were refused for reasons that are no longer in `reasons`. */
	readonly otherReasons?: number;
};

/** What the journal holds, as it was counted last. */
export type JournalCounts = {
	readonly deliveries: number;
	readonly runs: number;
	/** Those that wait for a person, however old they are. */
	readonly runsToDecide: number;
};

/** An answer that the model has not ended. Redacted, not cleaned. */
export type RunSaid = {
	/** When the last of it came, milliseconds since 1970. */
	readonly at: number;
	/** Characters (UTF-16 units) of it that are not in `text`. */
	readonly from: number;
	/** Its end, at most `limits.saidCharacters`. */
	readonly text: string;
};

/** A member of a cluster that was not seen for so long is gone, milliseconds. */
export const goneMs = 60_000;
/** Notes of others that are heard later than this are late, milliseconds. */
export const lateMs = 2000;

/** A gateway on a store that several share. */
export type ClusterMember = {
	readonly node: string;
	/** Not seen for a minute. */
	readonly isGone: boolean;
	/** Runs that it works on. */
	readonly leases: number;
};

/** The sum of the events. Immutable; every list is capped (see `reduce.ts`), oldest first. */
export type GatewayState = {
	readonly gateway: {
		readonly pid: number;
		readonly version: string;
		readonly home: string;
		readonly profile: string;
		readonly startedAt: number;
		readonly stopping: boolean;
		/** `false` when an attached face lost its gateway; everything shown is old then. */
		readonly reachable: boolean;
		/** Why an attached face could not read something that its gateway said; until the whole state has come again. */
		readonly skipped?: string;
	};
	readonly webhook: WebhookState;
	/** Absent: a gateway that knows none. */
	readonly api?: ApiState;
	/** Keys of the chat API, oldest first, at most `limits.keys`; never a secret. Absent: nobody knows. */
	readonly keys?: readonly ApiKey[];
	readonly routes: readonly RouteView[];
	/** At most `limits.deliveries`, with a per-route quota so that a flood cannot push the others out. */
	readonly deliveries: readonly DeliveryRow[];
	/** At most `limits.pendingGroups` pending ones by when they are due, then the newest `limits.dispatchedGroups` that were dispatched. */
	readonly groups: readonly Group[];
	readonly jobs: readonly JobView[];
	/** What waits for a person, oldest first; at most `limits.waitingApprovals`. */
	readonly approvals: readonly Approval[];
	/** The newest `limits.settledApprovals` that were settled, oldest first. */
	readonly settledApprovals: readonly Approval[];
	/** Standing rules, oldest first. */
	readonly approvalRules: readonly ApprovalRule[];
	/** Install links that wait for a person, oldest first; what expired meanwhile may be among them. */
	readonly installs?: readonly WaitingInstall[];
	/** Tool servers by profile, the gateway's own first, and name. */
	readonly servers: readonly ServerView[];
	/** At most `limits.runs`. */
	readonly runs: readonly Run[];
	/** Absent until it was counted, and of a gateway that does not count. */
	readonly journal?: JournalCounts;
	/** The queue as it was counted last, which `runs` need not hold whole. Absent as `journal` is. */
	readonly queue?: RunQueue;
	/** Why nothing can be written to the store; absent while it can. */
	readonly storeFailing?: string;
	/** Since when, milliseconds since 1970. */
	readonly storeFailingSince?: number;
	/** How late notes of the other gateways are heard, milliseconds, while that is more than two seconds. */
	readonly notesLagMs?: number;
	/** The gateways on the store that this one shares, none before it was open; absent where it has it for itself. */
	readonly cluster?: readonly ClusterMember[];
	/** Every delivery from this id on, and every run from this number on, is in the lists above; older ones may be missing between others. Absent: nobody knows. */
	readonly wholeFrom?: {readonly delivery?: string; readonly run?: number};
	/** Last entries of the runs that are active, by run id. */
	readonly progress: Readonly<Record<number, readonly TranscriptEntry[]>>;
	/** What the model is saying in runs, by run id, until it has said it. Absent: nobody says anything. */
	readonly said?: Readonly<Record<number, RunSaid>>;
	/** At most `limits.logs`. */
	readonly logs: readonly LogRecord[];
	readonly model?: ModelView;
	/** Why the configured model cannot be used. */
	readonly modelProblem?: string;
	/** Since when calls of the model fail, and why the last one did; absent while it answers. */
	readonly modelSilence?: {readonly since: number; readonly reason: string};
	/** A model that could be used but costs money: a face asks once, `GatewayPort.useModel` agrees. */
	readonly modelOffer?: ModelView;
	readonly platforms: readonly PlatformView[];
	/** The entries of `alerts`. Absent: of an older gateway. */
	readonly alerts?: readonly AlertView[];
	/** What the last reload refused or warned of. */
	readonly problems: readonly Diagnostic[];
	readonly health?: HealthSample;
	/** Requests by minute, of the last hour in which any came; with those that the journal still knew at the start. */
	readonly traffic?: readonly TrafficMinute[];
	/** Totals since the start. */
	readonly totals: {
		/** Requests but those of strangers, which are answered 401 or 404. */
		readonly received: number;
		/** Those of them that were answered with a status below 400. */
		readonly ok: number;
		readonly groupsDispatched: number;
		readonly runsDone: number;
		readonly runsFailed: number;
	};
};

/** How many runs wait for a person: the journal knows those that memory does not, and memory those that were not counted yet. */
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

/** The state before anything happened. */
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
