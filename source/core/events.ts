import type {ApiKey} from './api-key.ts';
import type {Approval, ApprovalRule} from './approval.ts';
import type {AlertView, ModelView, PlatformView, Diagnostic, RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import type {Group} from './group.ts';
import type {WaitingInstall} from './install.ts';
import type {JobView} from './job.ts';
import type {LogRecord} from './log.ts';
import type {RunQueue} from './run-queue.ts';
import type {Run, TranscriptEntry} from './run.ts';
import type {ApiState, ClusterMember, JournalCounts} from './state.ts';
import type {ServerView} from './tool-server.ts';
import type {TrafficMinute} from './traffic.ts';

/** Load of the gateway, sampled about once a second. */
export type HealthSample = {
	/** Delay of the event loop, 99th percentile of the last interval, milliseconds. */
	readonly loopDelayP99Ms: number;
	readonly rssBytes: number;
	/** Requests answered per second in the last interval. */
	readonly requestsPerSecond: number;
	/** Answer time, 95th percentile of the last interval, milliseconds; `undefined` without requests. */
	readonly requestP95Ms?: number;
};

/** The members of each type of event besides `type` and `at`; `unknown`: no others. */
type EventFacts = {
	'gateway-started': {
		readonly pid: number;
		readonly version: string;
		readonly home: string;
		readonly profile: string;
	};
	'gateway-stopping': unknown;
	/** Only from an attached face: the gateway in the other process no longer answers. */
	'gateway-lost': unknown;
	/** Only from an attached face: a message of the gateway could not be read; what it shows may be incomplete until the whole state has been sent again. */
	'message-skipped': {readonly reason: string};
	/** The history in the journal from before the start. Oldest first. */
	'history-restored': {
		readonly deliveries: readonly Delivery[];
		/** The newest, and older ones that need a decision. */
		readonly runs: readonly Run[];
		/** The number from which on `runs` has no gaps; absent: `runs` holds all runs. */
		readonly runsFrom?: number;
		/** Every pending group, then the newest that were dispatched. */
		readonly groups: readonly Group[];
		/** The newest settled ones, oldest first; requests that waited at the end of the process are denied. */
		readonly approvals: readonly Approval[];
	};
	/** Counts of the journal at this moment; later events may change them. */
	'journal-counted': {readonly counts: JournalCounts};
	/** Counts of the queued runs and of the occupied worker slots. */
	'queue-counted': {readonly queue: RunQueue};
	/** Why the store cannot be written; absent: it can be written again. */
	'store-failing': {readonly reason?: string};
	/** All gateways on the shared store, including those not seen lately. */
	'cluster-changed': {
		readonly members: readonly ClusterMember[];
		/** `GatewayState.notesLagMs`. */
		readonly notesLagMs?: number;
	};
	/** Requests per minute of the last hour, counted in the journal. Sent after a start that did not restore all of them as deliveries. */
	'traffic-counted': {
		readonly minutes: readonly TrafficMinute[];
	};
	'webhook-listening': {readonly url: string};
	'webhook-refused': {
		readonly code: string;
		readonly reason: string;
	};
	'webhook-disabled': unknown;
	'webhook-closed': unknown;
	'api-changed': {readonly api: ApiState};
	/** Changed keys of the chat API (after the start: all keys), and the identifiers of removed keys. */
	'keys-changed': {
		readonly keys: readonly ApiKey[];
		readonly gone: readonly string[];
	};
	'routes-changed': {readonly routes: readonly RouteView[]};
	'delivery-received': {readonly delivery: Delivery};
	'group-changed': {readonly group: Group};
	/** All jobs. */
	'jobs-changed': {readonly jobs: readonly JobView[]};
	'run-changed': {readonly run: Run};
	'approval-requested': {readonly approval: Approval};
	/** The deadline was moved. */
	'approval-extended': {readonly approval: Approval};
	'approval-settled': {readonly approval: Approval};
	/** All rules. */
	'approval-rules-changed': {
		readonly rules: readonly ApprovalRule[];
	};
	/** All install links that wait for a person. */
	'installs-changed': {
		readonly installs: readonly WaitingInstall[];
	};
	'server-changed': {readonly server: ServerView};
	'server-removed': {
		readonly profile: string;
		readonly name: string;
	};
	'run-progressed': {
		readonly runId: number;
		readonly entry: TranscriptEntry;
	};
	/**
	 * A streamed part of a run's answer, at most ten a second; not journaled, since the whole text follows as `run-progressed`. Redacted but not cleaned, because
	 * it may be cut anywhere: clean it before showing it.
	 */
	'run-said': {
		readonly runId: number;
		/** Offset in the answer (UTF-16 units): 0 begins a new answer. A gap means that text was skipped. */
		readonly from: number;
		readonly text: string;
	};
	'model-selected': {
		readonly model: ModelView;
		/** A model that could be used, since the environment has a key of its provider. It costs money, so a person must agree. */
		readonly offer?: ModelView;
	};
	/** The configured model cannot be used; runs fail meanwhile. */
	'model-refused': {readonly reason: string};
	/** Calls of the configured model have failed repeatedly. Ends when a call is answered or another model is selected. */
	'model-silent': {readonly reason: string};
	'model-answers': unknown;
	/** All entries of `alerts`, each with the result of its last message. */
	'alerts-changed': {readonly alerts: readonly AlertView[]};
	'platform-changed': {readonly platform: PlatformView};
	'config-reloaded': {
		/** One line per change, for a person. */
		readonly changes: readonly string[];
		/** Keys whose change needs a restart. */
		readonly restartNeeded: readonly string[];
		/** Remaining problems. An item with an error is disabled, unless it has a last good version, which stays in use. */
		readonly problems: readonly Diagnostic[];
	};
	'config-rejected': {
		readonly problems: readonly Diagnostic[];
	};
	'health-sampled': {readonly health: HealthSample};
	/** The newest log records of earlier processes, oldest first. */
	'log-restored': {readonly records: readonly LogRecord[]};
	'log-written': {readonly record: LogRecord};
};

/**
 * Something that happened. Rooms report these upward; every face reads the same union. `at` is milliseconds
 * since 1970. Every string is redacted and cleaned before it becomes part of an event, unless the event says otherwise.
 */
export type GatewayEvent = {
	[Type in keyof EventFacts]: {readonly type: Type; readonly at: number} & EventFacts[Type];
}[keyof EventFacts];

/** The events of some types. */
export type EventOf<Type extends keyof EventFacts> = Extract<GatewayEvent, {readonly type: Type}>;

/** Reports one event. Never throws; returns at once. */
export type Emit = (event: GatewayEvent) => void;
