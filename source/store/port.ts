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

/** Whose events something is made of. */
export type RouteKey = {readonly profile: string; readonly route: string};

/** Identity of a delivery for the duplicate rule. @see manual/guarantees.md#nothing-accepted-is-lost */
export type DeliveryKey = RouteKey & {readonly deliveryId: string};

/** The SHA-256 of a body, a second identifier: an equal body on the route is a duplicate. */
type WithBody = {readonly bodyHash?: string | undefined};

export type Accepted =
	| {readonly kind: 'accepted'; readonly runId: number}
	/** `of` is the `Delivery.id` that holds the identifier; `byBody`: that had the same body. */
	| {readonly kind: 'duplicate'; readonly of: string; readonly byBody?: true}
	/** The event waits in `group`. `dispatched`: the group of the same key that was over and made room for it. */
	| {readonly kind: 'coalesced'; readonly group: Group; readonly dispatched?: Group}
	/** `queued` wait already, as many as may; nothing was written. With `freeInMs` they wait for their time, of this route or of all together, and the first place becomes free in so many milliseconds; without, they wait for a worker; `ofRoute`: these are of this route, and other routes find places. `awaitLogins`: they are runs of this route, or of all, that wait for a person to log in. */
	| {
			readonly kind: 'full';
			readonly queued: number;
			readonly most: number;
			readonly freeInMs?: number;
			readonly ofRoute?: true;
			readonly awaitLogins?: true;
	  }
	/** `queued` runs of the job wait already; nothing was written. */
	| {readonly kind: 'job-full'; readonly queued: number};

/** Whether an identifier was taken for a message that is about to be sent. */
export type ReservedIdentifier =
	| {readonly kind: 'reserved'}
	/** `of` is the `Delivery.id` that holds the identifier. That gateway may have ended while sending: whether its message arrived is not known. */
	| {readonly kind: 'duplicate'; readonly of: string; readonly byBody?: true}
	/** Another gateway is sending, and says within half a minute whether it arrived. */
	| {readonly kind: 'under-way'; readonly of: string};

/** What came in, to be kept. */
export type Intake = {
	/**
	 * One atomic, durable call: decides duplicate and queue bound together, and on `accepted` writes the delivery and its queued run. Resolves only
	 * after the commit is on disk; calls of one event-loop turn share a commit. An identifier is held for `idempotencyMs` from its acceptance, unless its run
	 * (of a coalesced event: the run of its group) ended `failed`, `dead` or `cancelled`: then it is accepted again.
	 * @throws SvcError `journal_unavailable` when nothing could be written (disk full, database locked or broken).
	 */
	accept(
		entry: WithBody & {
			readonly delivery: StoredDelivery;
			readonly plan: RunPlan;
			/**
			 * Bound of the queued runs that wait for a worker; a (profile, route) has at most `maxQueuedOfRoute` of them. What waits for its time, pending groups and runs with a `dueAt` ahead until that comes, has the same bound for itself, and
			 * half of it, at least 1, for each (profile, route). An event that joins a group, or finds it over and opens the next, adds nothing. Runs that await logins are in neither: a
			 * route that has so many of them that it has its half takes no event that would add a run, and no route that has any does while all together are `maxQueued`.
			 */
			readonly maxQueued: number;
			readonly idempotencyMs: number;
			/** Earliest start of the run, milliseconds since 1970; at once when absent. Its distance counts from here on: a wall clock that is set moves nothing. */
			readonly dueAt?: number;
			/** The event joins, or opens, the pending group of its (profile, route, key); `plan` is what the group runs if no later event comes. */
			readonly group?: GroupWindow & {readonly key: string};
			/** The run is one of this job; at most `maxQueued` of those wait. */
			readonly job?: JobKey & {readonly name: string; readonly maxQueued: number};
		},
	): Promise<Accepted>;
	/** The `Delivery.id` that holds `key` since less than `idempotencyMs`, if any. */
	holderOf(key: DeliveryKey & WithBody, idempotencyMs: number): Promise<string | undefined>;
	/**
	 * Durably takes the identifier of the delivery `id`, which is sent without a run (`deliver_only`), before it goes out; `record` says what became of it. Until then, also after a crash, the identifier stays taken. Same errors as `accept`.
	 */
	reserve(
		delivery: DeliveryKey & WithBody & {readonly id: string},
		idempotencyMs: number,
	): Promise<ReservedIdentifier>;
	/** Durably records a delivery that has no run. `claim` also takes its identifier; without, what `reserve` took for this delivery is free again. Recording it again changes nothing. Same errors as `accept`. */
	record(
		entry: WithBody & {readonly delivery: StoredDelivery; readonly claim: boolean},
	): Promise<void>;
	/**
	 * Remembers a delivery that changed nothing (ignored, duplicate, rejected), best effort and never awaited: written in batches, at most 50 a second
	 * and 4 MiB waiting, of which rejections have at most 10 and 2 MiB; above that it is dropped and counted in `Health.notesDropped`.
	 */
	note(delivery: StoredDelivery): void;
};

/** A run handed to one worker. `token` fences: a call with a stale lease changes nothing and answers `false`. */
export type Lease = {
	readonly run: StoredRun;
	readonly token: number;
	/** `agent`: run the agent. `deliver`: the answer is there, hand it over. */
	readonly phase: 'agent' | 'deliver';
	/** What is left of the time that the run may wait for logins, milliseconds; absent: it has not waited for any. */
	readonly loginWaitMs?: number;
};

/** A tool server of a profile. */
export type ServerKey = {readonly profile: string; readonly name: string};

/** What an agent try or a delivery try came to. */
export type Settlement =
	/** `target`: the actual target of the answer, where it differs from the requested one; `Run.target` has it from now on. */
	| {readonly state: 'done' | 'silent' | 'cancelled'; readonly target?: string}
	| {readonly state: 'failed' | 'dead' | 'interrupted' | 'uncertain'; readonly error: string}
	/** Same phase again at `at`, milliseconds since 1970; its distance counts from here on. */
	| {readonly state: 'retry'; readonly at: number; readonly error: string}
	/**
	 * Of the agent's phase: queued again as if this lease had not been, and not due before a `release` of one of `servers`, of the run's profile, a person's `retry`, or `mostMs` from
	 * here on.
	 */
	| {
			readonly state: 'awaits-logins';
			readonly servers: readonly string[];
			readonly mostMs: number;
	  };

/** How many runs of a route may be leased at once; 0 holds them all back. */
export type RouteLimit = RouteKey & {readonly most: number};

export type Runs = Chats & {
	/**
	 * Takes up to `count` due runs for `leaseMs`: each time the oldest of the route whose last lease, from whatever gateway, is longest ago (see `maxTurns`). A job is a route of its own, also where a route fires it, and so is a conversation on a platform.
	 * Never two runs of one job at once, and of one route no more than `limits` say; runs that wait for that do not hold up others. A lease neither beaten nor settled in time is due again, `interrupted` or `uncertain`, by the rules of opening.
	 */
	lease(count: number, leaseMs: number, limits?: readonly RouteLimit[]): Promise<readonly Lease[]>;
	/** Prolongs by `leaseMs`. `false`: lost, stop working. */
	beat(lease: Lease, leaseMs: number): Promise<boolean>;
	/** Durably notes, before it happens, that a tool that may change things starts. */
	markSideEffect(lease: Lease): Promise<boolean>;
	/** Appends to the transcript; batched, not durable by itself. */
	append(lease: Lease, entries: readonly TranscriptEntry[]): void;
	/** Notes the state of the run before it ends, with the tokens of all its tries; batched, not durable by itself. */
	work(lease: Lease, work: WorkDone): void;
	/** Durably stores the answer and moves the run to `delivering`; the lease goes on with `phase: 'deliver'`. */
	answer(
		lease: Lease,
		answer: {readonly text: string; readonly model: string; readonly toolCalls: number},
	): Promise<boolean>;
	/** Durably counts, before it happens, a delivery try that starts. Unless it `isRepeatable`, a run that is lost from here on becomes `uncertain`. */
	markDeliveryStarted(lease: Lease, how: {readonly isRepeatable: boolean}): Promise<boolean>;
	settle(lease: Lease, settlement: Settlement): Promise<boolean>;
	/** Ends a queued, waiting or leased run as `cancelled`; `false` when it has ended or does not exist. */
	cancel(runId: number): Promise<boolean>;
	/** Puts a run that is `failed`, `interrupted`, `uncertain` or `dead` away as `dropped`, with what it has and why it failed; `false` for any other. */
	drop(runId: number, reason?: string): Promise<boolean>;
	/**
	 * Queues the answer of a run that is `done`, `cancelled`, `uncertain`, `dead` or `dropped` for its delivery once more, from here on to `target`. One that had arrived is another
	 * message then; of one that had not, parts that have arrived there stay. `false` without an answer, in another state, and for a turn of a chat.
	 */
	handOver(runId: number, target: Target): Promise<boolean>;
	/** Puts an ended run back in the queue (`failed`, `interrupted`, `cancelled`: from the agent; `dead`, `uncertain`: from the delivery; `dropped`: as before; never a turn of a chat), and lets one that waits for its time start as soon as there is a place; `false` otherwise. */
	retry(runId: number): Promise<boolean>;
	/** Lets the runs that await a login to this server, or to any, start as soon as there is a place, with what is left of their wait; their numbers. */
	release(server: ServerKey | 'all'): Promise<readonly number[]>;
	/** How many runs await logins, and to which servers. */
	awaitedLogins(): Promise<{readonly runs: number; readonly servers: readonly ServerKey[]}>;
	get(runId: number): Promise<StoredRun | undefined>;
	/** The run without its plan, answer and transcript: what faces list. */
	view(runId: number): Promise<Run | undefined>;
	/** Newest first, at most `limit` (1 to 1,000). */
	list(filter: {
		readonly states?: readonly RunState[];
		readonly profile?: string;
		readonly route?: string;
		/** `Run.job.id`. */
		readonly job?: string;
		readonly before?: number;
		readonly limit: number;
	}): Promise<readonly Run[]>;
	/** Those that wait for a person (`needsDecision`), however old they are; newest first, at most `limit` (1 to 1,000). */
	toDecide(limit: number): Promise<readonly Run[]>;
	counts(): Promise<{readonly queued: number; readonly active: number}>;
	/** The `queued` of `counts` by what they wait for; a delivery whose next try is due waits for a worker beside them. Both, as `kept`, may be asked once the store is closed; the age of the oldest is not known then. */
	waits(): Promise<Omit<RunQueue, 'places'>>;
	/** How many the journal holds, and how many of them wait for a person. */
	kept(): Promise<{readonly all: number; readonly toDecide: number}>;
	/** When the next waiting run is due or a lease runs out, whichever is first, milliseconds since 1970. Runs that only wait for their job, or by `limits` for their route, are not due. */
	nextDue(limits?: readonly RouteLimit[]): Promise<number | undefined>;
};

/** Calls and forms that needed a person's yes, and the rules that answers made. The newest 5,000 that were settled are kept. */
export type StoredApprovals = ApprovalKeeper & {
	/** Newest first, at most `limit` (1 to 1,000). */
	settled(filter: {
		readonly profile?: string;
		readonly limit: number;
	}): Promise<readonly Approval[]>;
	/** Those that wait as they were asked, each with the `Shared.owner` that asked; oldest first, at most `limit` (1 to 1,000). */
	waiting(
		limit: number,
	): Promise<ReadonlyArray<{readonly approval: Approval; readonly owner: string}>>;
};

export type Retention = {
	/** Bodies older than this are dropped, milliseconds. */
	readonly bodyMs: number;
	/** Oldest bodies go first above this. */
	readonly bodyBytes: number;
	/** Rows older than this are deleted when nothing waits for them, milliseconds. */
	readonly rowMs: number;
};

/** Reads see every delivery that was accepted, recorded or noted before, also a note that still waits to be written. */
export type Journal = {
	/**
	 * By `Delivery.id`, or by any ending of it of at least four characters that no other has.
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
	/** How many deliveries are kept. */
	count(): Promise<number>;
	/** Applies the retention in short transactions, and keeps only the newest 10,000 rejections (any stranger can make them); yields to the event loop between them. Returns what went. */
	purge(retention: Retention, signal?: AbortSignal): Promise<Purged>;
};

/**
 * The gateway's memory. Adapters must pass `tests/store/contract.ts`. Whatever is asked is answered by promise, so that it may be far away; what opening found is a value, and changes are
 * told as `StoreEvents`. Tokens of leases fence; all reads are paged; no secret of a route is ever in a row. Others may have the same store open, where an adapter lets them: opening touches
 * neither their leases nor the requests that wait at them.
 * No wait hangs on the wall clock while a process lives. Opening goes by what it shows then, and when it was set back since: a promised start lies no further ahead than it did when it was
 * promised, another try at most an hour, and an identifier counts as taken now.
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
	/** The largest `Delivery.id` that opening found, for the source of identifiers; empty string when there was none. Others may have written larger ones since. @see createIdSource */
	readonly lastId: string;
	health(): Promise<StoreHealth>;
	/** Writes what is batched, then closes. */
	[Symbol.asyncDispose](): Promise<void>;
};

/** How a store does. */
export type StoreHealth = {
	/** How late notes of other gateways were heard at most in the last minute, milliseconds by the clock of the store; absent where there are none. */
	readonly notesLagMs?: number;
	/** Last write failure, if writes fail now. */
	readonly failing?: string;
	/** Notes dropped since the start. */
	readonly notesDropped: number;
	/** Durations of the last commits, milliseconds: median and 99th percentile. */
	readonly commitP50Ms: number;
	readonly commitP99Ms: number;
};

/** What a store tells by itself, to whom its opening was given. None of it may throw. */
export type StoreEvents = {
	/**
	 * Writing has begun to fail, or fails for another reason than before; `undefined`: the next write, be it a note, has succeeded again. Told before the write that noticed it is answered,
	 * so that a caller that must stop then need not ask.
	 */
	readonly onFailing?: (reason: string | undefined) => void;
};

/** How much a retention has removed. */
export type Purged = {readonly bodies: number; readonly rows: number};
