import type {Approval} from '../core/approval.ts';
import type {ApprovalKeeper} from '../core/approvals/keeper.ts';
import type {Delivery, StoredDelivery} from '../core/delivery.ts';
import type {Group, GroupWindow} from '../core/group.ts';
import type {Memos} from '../core/memos.ts';
import type {RunQueue} from '../core/run-queue.ts';
import type {
	Run,
	RunPlan,
	RunState,
	StoredRun,
	Target,
	TranscriptEntry,
	WorkDone,
} from '../core/run.ts';
import type {Chats, Conversations} from './conversation-rules.ts';
import type {Groups} from './group-port.ts';
import type {HistorySearching} from './history/port.ts';
import type {JobKey, Jobs} from './job-port.ts';
import type {StoredKeys} from './key-port.ts';
import type {StoredSessions} from './session-port.ts';
import type {Shared} from './shared-port.ts';

/** Identifies a route of a profile. */
export type RouteKey = {readonly profile: string; readonly route: string};

/** Identifies a delivery for the detection of duplicates. @see manual/guarantees.md#nothing-accepted-is-lost */
export type DeliveryKey = RouteKey & {readonly deliveryId: string};

/** The SHA-256 of the body as a second identifier: an equal body on the same route is a duplicate. */
type WithBody = {readonly bodyHash?: string | undefined};

export type Accepted =
	| {readonly kind: 'accepted'; readonly runId: number}
	/** `of` is the `Delivery.id` that holds the identifier; `byBody`: the bodies were equal. */
	| {readonly kind: 'duplicate'; readonly of: string; readonly byBody?: true}
	/** The event waits in `group`. `dispatched`: the earlier group of the same key, which was over. */
	| {readonly kind: 'coalesced'; readonly group: Group; readonly dispatched?: Group}
	/**
	 * The limit is reached by `queued` events; nothing was written. With `freeInMs`, the milliseconds until the first place is free, they wait for their times; otherwise for a
	 * worker. `ofRoute`: the limit is the route's, and other routes still have places. `awaitLogins`: they are runs, of the route or all, that wait for a person to log in.
	 */
	| {
			readonly kind: 'full';
			readonly queued: number;
			readonly most: number;
			readonly freeInMs?: number;
			readonly ofRoute?: true;
			readonly awaitLogins?: true;
	  }
	/** The limit of the job is reached by `queued` runs; nothing was written. */
	| {readonly kind: 'job-full'; readonly queued: number};

/** Whether an identifier was reserved for a message that is about to be sent. */
export type ReservedIdentifier =
	| {readonly kind: 'reserved'}
	/** `of` is the `Delivery.id` that holds the identifier. If its gateway ended while sending, it is unknown whether the message arrived. */
	| {readonly kind: 'duplicate'; readonly of: string; readonly byBody?: true}
	/** Another gateway is sending, and records the outcome within half a minute. */
	| {readonly kind: 'under-way'; readonly of: string};

/** Durably stores inbound events. */
export type Intake = {
	/**
	 * Atomically and durably decides whether the event is a duplicate or exceeds a limit; if `accepted`, writes the delivery and its queued run. Resolves only after the commit
	 * is on disk; calls of one turn of the event loop share a commit. An identifier is held for `idempotencyMs` from acceptance, unless the run (for a coalesced event: the
	 * group's) ended `failed`, `dead` or `cancelled`: then it is accepted again.
	 * @throws SvcError `journal_unavailable` when nothing could be written (disk full, database locked or broken).
	 */
	accept(
		entry: WithBody & {
			readonly delivery: StoredDelivery;
			readonly plan: RunPlan;
			/**
			 * Limit of queued runs that wait for a worker; each (profile, route) may have at most `maxQueuedOfRoute` of them. Events that wait for a time, as pending groups or runs
			 * with a future `dueAt`, have a separate limit of the same size, and each (profile, route) half of it, at least 1. An event that joins a group, or replaces one that is
			 * over, adds nothing. Runs that await logins count towards neither: a route with half of `maxQueued` such runs accepts no event that would add a run, and when there are
			 * `maxQueued` in total, no route that has any does.
			 */
			readonly maxQueued: number;
			readonly idempotencyMs: number;
			/** Earliest start of the run, milliseconds since 1970; at once when absent. Converted to a delay from now, so that setting the wall clock does not move it. */
			readonly dueAt?: number;
			/** The event joins, or opens, the pending group of its (profile, route, key); the group runs `plan` unless a later event arrives. */
			readonly group?: GroupWindow & {readonly key: string};
			/** The run belongs to this job, of which at most `maxQueued` runs may be queued. */
			readonly job?: JobKey & {readonly name: string; readonly maxQueued: number};
		},
	): Promise<Accepted>;
	/** The `Delivery.id` that has held `key` for less than `idempotencyMs`, if any. */
	holderOf(key: DeliveryKey & WithBody, idempotencyMs: number): Promise<string | undefined>;
	/** Before a message is sent without a run (`deliver_only`): durably reserves its identifier, even across a crash, until `record` reports the outcome. Errors as `accept`. */
	reserve(
		delivery: DeliveryKey & WithBody & {readonly id: string},
		idempotencyMs: number,
	): Promise<ReservedIdentifier>;
	/** Durably records a delivery without a run. `claim` also claims its identifier; otherwise what `reserve` took is freed. Repeating it changes nothing. Errors as for `accept`. */
	record(
		entry: WithBody & {readonly delivery: StoredDelivery; readonly claim: boolean},
	): Promise<void>;
	/**
	 * Stores a delivery that changed nothing (ignored, duplicate, rejected), best effort and never awaited: in batches, at most 50 a second and 4 MiB waiting, of which
	 * rejections get at most 10 and 2 MiB; beyond that it is dropped and counted in `Health.notesDropped`.
	 */
	note(delivery: StoredDelivery): void;
};

/** A run leased to one worker. `token` is a fencing token: a call with a stale lease changes nothing and resolves with `false`. */
export type Lease = {
	readonly run: StoredRun;
	readonly token: number;
	/** `agent`: run the agent. `deliver`: deliver the existing answer. */
	readonly phase: 'agent' | 'deliver';
	/** How much longer the run may wait for logins, milliseconds; absent if it has not waited for any. */
	readonly loginWaitMs?: number;
};

/** A tool server of a profile. */
export type ServerKey = {readonly profile: string; readonly name: string};

/** The result of one attempt of the agent or of the delivery. */
export type Settlement =
	/** `target`: the actual target of the answer, if different from the requested one; it becomes `Run.target`. */
	| {readonly state: 'done' | 'silent' | 'cancelled'; readonly target?: string}
	| {readonly state: 'failed' | 'dead' | 'interrupted' | 'uncertain'; readonly error: string}
	/** Retry the same phase at `at`, milliseconds since 1970; converted to a delay from now. */
	| {readonly state: 'retry'; readonly at: number; readonly error: string}
	/** Only in the agent's phase: queues the run as if not leased; due on a `release` of one of `servers` of its profile, a person's `retry`, or after `mostMs` from now. */
	| {
			readonly state: 'awaits-logins';
			readonly servers: readonly string[];
			readonly mostMs: number;
	  };

/** Limits the concurrently leased runs of a route; 0 holds them all back. */
export type RouteLimit = RouteKey & {readonly most: number};

export type Runs = Chats & {
	/**
	 * Leases up to `count` due runs for `leaseMs`: each time the oldest of the route whose last lease, at any gateway, is longest ago (see `maxTurns`). A job counts as a route
	 * of its own, even when a route fires it, and so does a conversation on a platform. Never leases two runs of one job at once, nor more of a route than `limits` allow; runs
	 * waiting for that do not hold up others. A lease that expires unsettled becomes due again, `interrupted` or `uncertain`, by the rules of the takeover.
	 */
	lease(count: number, leaseMs: number, limits?: readonly RouteLimit[]): Promise<readonly Lease[]>;
	/** Renews the lease by `leaseMs`. `false` when it is lost: stop working. */
	beat(lease: Lease, leaseMs: number): Promise<boolean>;
	/** Durably records that a tool which may change things is about to start. */
	markSideEffect(lease: Lease): Promise<boolean>;
	/** Appends to the transcript; batched, not durable by itself. */
	append(lease: Lease, entries: readonly TranscriptEntry[]): void;
	/** Records the run's progress before it ends, with the tokens of all its attempts; batched, not durable by itself. */
	work(lease: Lease, work: WorkDone): void;
	/** Durably stores the answer and sets the run to `delivering`; the lease continues with `phase: 'deliver'`. */
	answer(
		lease: Lease,
		answer: {readonly text: string; readonly model: string; readonly toolCalls: number},
	): Promise<boolean>;
	/** Durably counts a delivery attempt that is about to start. Unless it `isRepeatable`, the run becomes `uncertain` if it is lost from now on. */
	markDeliveryStarted(lease: Lease, how: {readonly isRepeatable: boolean}): Promise<boolean>;
	settle(lease: Lease, settlement: Settlement): Promise<boolean>;
	/** Ends a queued, waiting or leased run as `cancelled`; `false` when it has ended or does not exist. */
	cancel(runId: number): Promise<boolean>;
	/** Sets a run that is `failed`, `interrupted`, `uncertain` or `dead` to `dropped`, keeping its results and error; `false` for any other. */
	drop(runId: number, reason?: string): Promise<boolean>;
	/**
	 * Queues the answer of a run that is `done`, `cancelled`, `uncertain`, `dead` or `dropped` for another delivery, to `target`. If the last delivery had succeeded, this is a
	 * new message; if not, its parts that arrived remain. `false` without an answer, in another state, and for a turn of a chat.
	 */
	handOver(runId: number, target: Target): Promise<boolean>;
	/**
	 * Queues an ended run again (`failed`, `interrupted`, `cancelled`: from the agent on; `dead`, `uncertain`: from the delivery on; `dropped`: as in its state before; never a
	 * turn of a chat), or makes a run that waits for a time due now; `false` otherwise.
	 */
	retry(runId: number): Promise<boolean>;
	/** Makes runs that await a login to this server, or to any, due now, keeping the rest of their wait for later; resolves with their numbers. */
	release(server: ServerKey | 'all'): Promise<readonly number[]>;
	/** The number of runs that await logins, and the servers. */
	awaitedLogins(): Promise<{readonly runs: number; readonly servers: readonly ServerKey[]}>;
	get(runId: number): Promise<StoredRun | undefined>;
	/** The run without plan, answer and transcript, for lists. */
	view(runId: number): Promise<Run | undefined>;
	/** Newest first, at most `limit` (1 to 1,000). */
	list(filter: {
		readonly states?: readonly RunState[];
		readonly profile?: string;
		readonly route?: string;
		/** The identifier `Run.job.id`. */
		readonly job?: string;
		readonly before?: number;
		readonly limit: number;
	}): Promise<readonly Run[]>;
	/** The runs that wait for a person (`needsDecision`), of any age; newest first, at most `limit` (1 to 1,000). */
	toDecide(limit: number): Promise<readonly Run[]>;
	counts(): Promise<{readonly queued: number; readonly active: number}>;
	/** The `queued` of `counts` by what they wait for, and due deliveries as waiting for a worker. Like `kept`, it works after closing, but without the age of the oldest. */
	waits(): Promise<Omit<RunQueue, 'places'>>;
	/** The number of stored runs, and of those that wait for a person. */
	kept(): Promise<{readonly all: number; readonly toDecide: number}>;
	/** When the first waiting run is due or the first lease expires, milliseconds since 1970; without runs that wait only for their job, or for their route by `limits`. */
	nextDue(limits?: readonly RouteLimit[]): Promise<number | undefined>;
};

/** Calls and forms that needed a person's approval, and the rules created by answers. The newest 5,000 settled ones are kept. */
export type StoredApprovals = ApprovalKeeper & {
	/** Newest first, at most `limit` (1 to 1,000). */
	settled(filter: {
		readonly profile?: string;
		readonly limit: number;
	}): Promise<readonly Approval[]>;
	/** Waiting requests as asked, each with the `Shared.owner` that asked; oldest first, at most `limit` (1 to 1,000). */
	waiting(
		limit: number,
	): Promise<ReadonlyArray<{readonly approval: Approval; readonly owner: string}>>;
};

export type Retention = {
	/** Bodies older than this are dropped, milliseconds. */
	readonly bodyMs: number;
	/** Above this total size, the oldest bodies are dropped. */
	readonly bodyBytes: number;
	/** Rows older than this are deleted once nothing needs them, milliseconds. */
	readonly rowMs: number;
};

/** Reads include every delivery accepted, recorded or noted before, even a note still waiting to be written. */
export type Journal = {
	/**
	 * A delivery by `Delivery.id`, or by a unique ending of it of at least four characters.
	 *
	 * @throws SvcError `delivery_ambiguous`: names the newest of those that end so
	 */
	get(id: string): Promise<StoredDelivery | undefined>;
	/** Newest first, at most `limit` (1 to 1,000). */
	list(filter: {
		readonly profile?: string;
		readonly route?: string;
		readonly outcomes?: readonly string[];
		/** Only deliveries whose run, or whose group's run, is in one of these states. */
		readonly runStates?: readonly RunState[];
		/** Only those received since, milliseconds since 1970. */
		readonly since?: number;
		readonly before?: string;
		readonly limit: number;
	}): Promise<readonly Delivery[]>;
	/** The number of stored deliveries. */
	count(): Promise<number>;
	/** Applies the retention in short transactions, yielding in between; keeps only the newest 10,000 rejections (any stranger can cause them). Resolves with what was removed. */
	purge(retention: Retention, signal?: AbortSignal): Promise<Purged>;
};

/**
 * The gateway's persistent state. Adapters must pass `tests/store/contract.ts`. All queries are asynchronous, so that the store may be remote; what opening found is a
 * plain value, and changes are reported by `StoreEvents`. Tokens of leases fence; all reads are paged; no row contains a route's secret. Other gateways may have the same
 * store open if the adapter allows it: opening affects neither their leases nor their waiting requests.
 *
 * While a process lives, no wait depends on the wall clock. Opening uses the wall clock; if that was set back since, a promised start is no further ahead than when
 * promised, a retry at most an hour, and an identifier counts as claimed now.
 */
export type Store = Shared & {
	readonly intake: Intake;
	readonly runs: Runs;
	readonly groups: Groups;
	readonly jobs: Jobs;
	readonly approvals: StoredApprovals;
	readonly journal: Journal;
	readonly history: HistorySearching;
	readonly memos: Memos;
	readonly keys: StoredKeys;
	readonly sessions: StoredSessions;
	readonly conversations: Conversations;
	/** The largest `Delivery.id` at opening, for the source of identifiers; empty when there was none. Others may have written larger ones since. @see createIdSource */
	readonly lastId: string;
	health(): Promise<StoreHealth>;
	/** Writes batched data, then closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** Health of a store. */
export type StoreHealth = {
	/** The longest delay of a note from another gateway in the last minute, milliseconds by the store's clock; absent without other gateways. */
	readonly notesLagMs?: number;
	/** Last write failure, if writes fail now. */
	readonly failing?: string;
	/** Notes dropped since the start. */
	readonly notesDropped: number;
	/** Durations of the last commits, milliseconds: median and 99th percentile. */
	readonly commitP50Ms: number;
	readonly commitP99Ms: number;
};

/** Events that a store reports to its opener. The callbacks must not throw. */
export type StoreEvents = {
	/** Called when writes begin to fail, or for another reason; with `undefined` when one, even a note, succeeds again. Called before the write that noticed it is answered. */
	readonly onFailing?: (reason: string | undefined) => void;
};

/** Numbers of removed bodies and rows. */
export type Purged = {readonly bodies: number; readonly rows: number};
