import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import type {ApprovalSteps} from './approvals.ts';
import type {OnBroken} from './broken-rows.ts';
import type {Counters} from './counters.ts';
import type {DueTimes, SteadyClock, NewRun} from './due-queue.ts';
import type {Engine} from './engine.ts';
import type {GroupSteps} from './groups.ts';
import type {IdempotencyKeys} from './idempotency-keys.ts';
import type {JobSteps} from './jobs.ts';
import type {MemoSteps} from './memos.ts';
import type {NoteBudget} from './note-budget.ts';
import type {PendingGroups} from './pending-groups.ts';
import type {LeaseToken, StoreNotes} from './shared-port.ts';
import type {GroupCommit} from './transaction.ts';
import type {TimedRuns, WaitingPool} from './waiting-runs.ts';

/** What the parts of a store on SQLite need; each uses some of it. Call steps inside a transaction. */
export type StoreParts = {
	readonly database: DatabaseSync;
	readonly engine: Engine;
	readonly clock: Clock;
	readonly commit: GroupCommit;
	readonly counters: Counters;
	readonly timed: TimedRuns;
	readonly times: DueTimes;
	readonly pending: PendingGroups;
	readonly pool: WaitingPool;
	readonly steady: SteadyClock;
	/** The clock by which identifiers grow old, milliseconds since 1970. */
	readonly steadyNow: () => number;
	readonly keys: IdempotencyKeys;
	readonly notes: NoteBudget;
	readonly enqueue: (run: NewRun) => number;
	readonly approvalSteps: ApprovalSteps;
	readonly groupSteps: GroupSteps;
	readonly jobSteps: JobSteps;
	readonly memoSteps: MemoSteps;
	/** Identifies this opening of the store, unique each time. */
	readonly owner: string;
	/** Whether nobody else has taken the lease since. */
	readonly isLast: (lease: LeaseToken) => boolean;
	/** Publishes a note to all gateways on the store. */
	readonly publish: StoreNotes['publish'];
	readonly onBroken: OnBroken;
};
