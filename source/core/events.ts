import type {ApiKey} from './api-key.ts';
import type {Approval, ApprovalRule} from './approval.ts';
import type {AlertView, ModelView, PlatformView, Diagnostic, RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import type {Group} from './group.ts';
import type {WaitingInstall} from './install.ts';
import type {JobView} from './job.ts';
import {isJsonObject} from './json.ts';
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

/**
 * Something that happened. Rooms report these upward; every face reads the same union. `at` is milliseconds
 * since 1970. Every string is redacted and cleaned before it becomes part of an event, unless the event says otherwise.
 */
export type GatewayEvent =
	| {
			readonly type: 'gateway-started';
			readonly at: number;
			readonly pid: number;
			readonly version: string;
			readonly home: string;
			readonly profile: string;
	  }
	| {readonly type: 'gateway-stopping'; readonly at: number}
	/** Only from an attached face: the gateway in the other process does not answer any more. */
	| {readonly type: 'gateway-lost'; readonly at: number}
	/** Only from an attached face: something that the gateway said could not be read, so that what is shown may lack something until the whole state has come again. */
	| {readonly type: 'message-skipped'; readonly at: number; readonly reason: string}
	/** What the journal still knows from before the start. Oldest first. */
	| {
			readonly type: 'history-restored';
			readonly at: number;
			readonly deliveries: readonly Delivery[];
			/** The newest, and older ones that wait for a person. */
			readonly runs: readonly Run[];
			/** Every run from this one on is among them; all are when it is absent. */
			readonly runsFrom?: number;
			/** Every pending group, then the newest that were dispatched. */
			readonly groups: readonly Group[];
			/** The newest that were settled, oldest first; what waited when the process ended was denied. */
			readonly approvals: readonly Approval[];
	  }
	/** What the journal holds now; what is told of runs since changes it. */
	| {readonly type: 'journal-counted'; readonly at: number; readonly counts: JournalCounts}
	/** The runs that wait, and the places of those at work. */
	| {readonly type: 'queue-counted'; readonly at: number; readonly queue: RunQueue}
	/** Nothing can be written to the store, and why; without a reason: it can be again. */
	| {readonly type: 'store-failing'; readonly at: number; readonly reason?: string}
	/** The gateways on the store that this one shares, as they stand now, those that are gone among them. */
	| {
			readonly type: 'cluster-changed';
			readonly at: number;
			readonly members: readonly ClusterMember[];
			/** `GatewayState.notesLagMs`. */
			readonly notesLagMs?: number;
	  }
	/** Requests by minute of the last hour, as the journal knows of them: after a start that could not restore all of them as deliveries. */
	| {
			readonly type: 'traffic-counted';
			readonly at: number;
			readonly minutes: readonly TrafficMinute[];
	  }
	| {readonly type: 'webhook-listening'; readonly at: number; readonly url: string}
	| {
			readonly type: 'webhook-refused';
			readonly at: number;
			readonly code: string;
			readonly reason: string;
	  }
	| {readonly type: 'webhook-disabled'; readonly at: number}
	| {readonly type: 'webhook-closed'; readonly at: number}
	| {readonly type: 'api-changed'; readonly at: number; readonly api: ApiState}
	/** Keys of the chat API as they stand now, and identifiers of those that are listed no more. All of them after the start. */
	| {
			readonly type: 'keys-changed';
			readonly at: number;
			readonly keys: readonly ApiKey[];
			readonly gone: readonly string[];
	  }
	| {readonly type: 'routes-changed'; readonly at: number; readonly routes: readonly RouteView[]}
	| {readonly type: 'delivery-received'; readonly at: number; readonly delivery: Delivery}
	| {readonly type: 'group-changed'; readonly at: number; readonly group: Group}
	/** The jobs as they stand now, all of them. */
	| {readonly type: 'jobs-changed'; readonly at: number; readonly jobs: readonly JobView[]}
	| {readonly type: 'run-changed'; readonly at: number; readonly run: Run}
	| {readonly type: 'approval-requested'; readonly at: number; readonly approval: Approval}
	/** Its deadline was moved. */
	| {readonly type: 'approval-extended'; readonly at: number; readonly approval: Approval}
	| {readonly type: 'approval-settled'; readonly at: number; readonly approval: Approval}
	/** The rules as they stand now, all of them. */
	| {
			readonly type: 'approval-rules-changed';
			readonly at: number;
			readonly rules: readonly ApprovalRule[];
	  }
	/** The install links that wait for a person, all of them. */
	| {
			readonly type: 'installs-changed';
			readonly at: number;
			readonly installs: readonly WaitingInstall[];
	  }
	| {readonly type: 'server-changed'; readonly at: number; readonly server: ServerView}
	| {
			readonly type: 'server-removed';
			readonly at: number;
			readonly profile: string;
			readonly name: string;
	  }
	| {
			readonly type: 'run-progressed';
			readonly at: number;
			readonly runId: number;
			readonly entry: TranscriptEntry;
	  }
	/**
	 * What the model says in a run, while it says it; no more often than ten times a second, and in no journal: what is whole comes as `run-progressed`. Redacted, but not cleaned, as
	 * it is cut anywhere: whoever shows it cleans it.
	 */
	| {
			readonly type: 'run-said';
			readonly at: number;
			readonly runId: number;
			/** Characters (UTF-16 units) that the answer had before: 0 begins another. More than were heard: somebody left some out. */
			readonly from: number;
			readonly text: string;
	  }
	| {
			readonly type: 'model-selected';
			readonly at: number;
			readonly model: ModelView;
			/** A provider whose key is in the environment; using it costs money, so a person must agree. */
			readonly offer?: ModelView;
	  }
	/** The configured model cannot be used; runs fail until that is mended. */
	| {readonly type: 'model-refused'; readonly at: number; readonly reason: string}
	/** Calls of the configured model fail, again and again; until one is answered, or another model is selected. */
	| {readonly type: 'model-silent'; readonly at: number; readonly reason: string}
	| {readonly type: 'model-answers'; readonly at: number}
	/** The entries of `alerts`, all of them, with how the last message of each went. */
	| {readonly type: 'alerts-changed'; readonly at: number; readonly alerts: readonly AlertView[]}
	| {readonly type: 'platform-changed'; readonly at: number; readonly platform: PlatformView}
	| {
			readonly type: 'config-reloaded';
			readonly at: number;
			/** One line per change, for a person. */
			readonly changes: readonly string[];
			/** Keys whose change needs a restart. */
			readonly restartNeeded: readonly string[];
			/** What is wrong with it all the same: an error takes out one thing, whose last good version stays where there is one. */
			readonly problems: readonly Diagnostic[];
	  }
	| {
			readonly type: 'config-rejected';
			readonly at: number;
			readonly problems: readonly Diagnostic[];
	  }
	| {readonly type: 'health-sampled'; readonly at: number; readonly health: HealthSample}
	/** The newest records of earlier processes, oldest first. */
	| {readonly type: 'log-restored'; readonly at: number; readonly records: readonly LogRecord[]}
	| {readonly type: 'log-written'; readonly at: number; readonly record: LogRecord};

/** Reports one event. Never throws; returns at once. */
export type Emit = (event: GatewayEvent) => void;

/** Every kind of event that this version knows. */
const eventTypes: Readonly<Record<GatewayEvent['type'], true>> = {
	'gateway-started': true,
	'gateway-stopping': true,
	'gateway-lost': true,
	'message-skipped': true,
	'history-restored': true,
	'journal-counted': true,
	'queue-counted': true,
	'store-failing': true,
	'cluster-changed': true,
	'traffic-counted': true,
	'api-changed': true,
	'keys-changed': true,
	'webhook-listening': true,
	'webhook-refused': true,
	'webhook-disabled': true,
	'webhook-closed': true,
	'routes-changed': true,
	'delivery-received': true,
	'group-changed': true,
	'jobs-changed': true,
	'run-changed': true,
	'approval-requested': true,
	'approval-extended': true,
	'approval-settled': true,
	'approval-rules-changed': true,
	'installs-changed': true,
	'server-changed': true,
	'server-removed': true,
	'run-progressed': true,
	'run-said': true,
	'model-selected': true,
	'model-refused': true,
	'model-silent': true,
	'model-answers': true,
	'alerts-changed': true,
	'platform-changed': true,
	'config-reloaded': true,
	'config-rejected': true,
	'health-sampled': true,
	'log-restored': true,
	'log-written': true,
};

/** Whether `value` is an event that this version knows, by its kind: a gateway of a later one may tell of more. */
export const isKnownEvent = (value: unknown): value is GatewayEvent =>
	isJsonObject(value) &&
	typeof value['type'] === 'string' &&
	Object.hasOwn(eventTypes, value['type']);
