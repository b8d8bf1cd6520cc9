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

/** What the gateway samples of itself about once a second. */
export type HealthSample = {
	/** Delay of the event loop, 99th percentile of the last interval, milliseconds. */
	readonly loopDelayP99Ms: number;
	readonly rssBytes: number;
	/** Requests answered per second in the last interval. */
	readonly requestsPerSecond: number;
	/** Answer time, 95th percentile of the last interval, milliseconds; `undefined` without requests. */
	readonly requestP95Ms?: number;
};

/** What each type of event carries; `unknown`: nothing beside its type and its time. */
type EventFacts = {
	'gateway-started': {
		readonly pid: number;
		readonly version: string;
		readonly home: string;
		readonly profile: string;
	};
	'gateway-stopping': unknown;
	/** Only from an attached face: the gateway in the other process does not answer any more. */
	'gateway-lost': unknown;
	/** Only from an attached face: something that the gateway said could not be read, so that what is shown may lack something until the whole state has come again. */
	'message-skipped': {readonly reason: string};
	/** What the journal still knows from before the start. Oldest first. */
	'history-restored': {
		readonly deliveries: readonly Delivery[];
		/** The newest, and older ones that wait for a person. */
		readonly runs: readonly Run[];
		/** Every run from this one on is among them; all are when it is absent. */
		readonly runsFrom?: number;
		/** Every pending group, then the newest that were dispatched. */
		readonly groups: readonly Group[];
		/** The newest that were settled, oldest first; what waited when the process ended was denied. */
		readonly approvals: readonly Approval[];
	};
	/** What the journal holds now; what is told of runs since changes it. */
	'journal-counted': {readonly counts: JournalCounts};
	/** The runs that wait, and the places of those at work. */
	'queue-counted': {readonly queue: RunQueue};
	/** Nothing can be written to the store, and why; without a reason: it can be again. */
	'store-failing': {readonly reason?: string};
	/** The gateways on the store that this one shares, as they stand now, those that are gone among them. */
	'cluster-changed': {
		readonly members: readonly ClusterMember[];
		/** `GatewayState.notesLagMs`. */
		readonly notesLagMs?: number;
	};
	/** Requests by minute of the last hour, as the journal knows of them: after a start that could not restore all of them as deliveries. */
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
	/** Keys of the chat API as they stand now, and identifiers of those that are listed no more. All of them after the start. */
	'keys-changed': {
		readonly keys: readonly ApiKey[];
		readonly gone: readonly string[];
	};
	'routes-changed': {readonly routes: readonly RouteView[]};
	'delivery-received': {readonly delivery: Delivery};
	'group-changed': {readonly group: Group};
	/** The jobs as they stand now, all of them. */
	'jobs-changed': {readonly jobs: readonly JobView[]};
	'run-changed': {readonly run: Run};
	'approval-requested': {readonly approval: Approval};
	/** Its deadline was moved. */
	'approval-extended': {readonly approval: Approval};
	'approval-settled': {readonly approval: Approval};
	/** The rules as they stand now, all of them. */
	'approval-rules-changed': {
		readonly rules: readonly ApprovalRule[];
	};
	/** The install links that wait for a person, all of them. */
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
	 * What the model says in a run, while it says it; no more often than ten times a second, and in no journal: what is whole comes as `run-progressed`. Redacted, but not cleaned, as
	 * it is cut anywhere: whoever shows it cleans it.
	 */
	'run-said': {
		readonly runId: number;
		/** Characters (UTF-16 units) that the answer had before: 0 begins another. More than were heard: somebody left some out. */
		readonly from: number;
		readonly text: string;
	};
	'model-selected': {
		readonly model: ModelView;
		/** A provider whose key is in the environment; using it costs money, so a person must agree. */
		readonly offer?: ModelView;
	};
	/** The configured model cannot be used; runs fail until that is mended. */
	'model-refused': {readonly reason: string};
	/** Calls of the configured model fail, again and again; until one is answered, or another model is selected. */
	'model-silent': {readonly reason: string};
	'model-answers': unknown;
	/** The entries of `alerts`, all of them, with how the last message of each went. */
	'alerts-changed': {readonly alerts: readonly AlertView[]};
	'platform-changed': {readonly platform: PlatformView};
	'config-reloaded': {
		/** One line per change, for a person. */
		readonly changes: readonly string[];
		/** Keys whose change needs a restart. */
		readonly restartNeeded: readonly string[];
		/** What is wrong with it all the same: an error takes out one thing, whose last good version stays where there is one. */
		readonly problems: readonly Diagnostic[];
	};
	'config-rejected': {
		readonly problems: readonly Diagnostic[];
	};
	'health-sampled': {readonly health: HealthSample};
	/** The newest records of earlier processes, oldest first. */
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

/** Reports one event. Never throws; returns at once. */
export type Emit = (event: GatewayEvent) => void;
