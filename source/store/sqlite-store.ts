import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import type {DatabaseSync} from 'node:sqlite';
import {every, type Clock} from '../core/clock.ts';
import {createLockWatch, type FileLock} from '../core/file-lock.ts';
import {idOfNumber} from '../core/ids.ts';
import {silentLogger, type Logger} from '../core/log.ts';
import {createApprovalSteps, createStoredApprovals} from './approvals.ts';
import {warnOfBroken} from './broken-rows.ts';
import {integerOf} from './columns.ts';
import {createConversations} from './conversations.ts';
import {createMovedCheck, createReserve, givingReserve, lockPathOf} from './database-file.ts';
import {createDueTimes, createSteadyClock, createEnqueue} from './due-queue.ts';
import {sqliteEngine} from './engine.ts';
import {createGroupCommit} from './group-commit.ts';
import {createGroupSteps, createGroups} from './groups.ts';
import {createHistory} from './history/history.ts';
import {createIdempotencyKeys} from './idempotency-keys.ts';
import {createIntake} from './intake.ts';
import {createJobSteps, createJobs} from './jobs.ts';
import {createJournalReader} from './journal-reader.ts';
import {createStoredKeys} from './keys.ts';
import {createMemos, createMemoSteps} from './memos.ts';
import {createNoteBudget} from './note-budget.ts';
import type {OpenedMemory} from './opened-memory.ts';
import type {StoreParts} from './parts.ts';
import type {Store, StoreEvents} from './port.ts';
import {createPurge} from './purge.ts';
import {createRuns} from './runs.ts';
import {createStoredSessions} from './sessions.ts';
import {createClusterOfOne, createSharedMemory} from './shared-memory.ts';
import {createTakeOver, nothingLeft} from './take-over.ts';
import {joinMemories} from './transaction.ts';
import {createWaitingPool, figuresInMemory} from './waiting-runs.ts';

/** How often the path of the database is checked while nothing is written, milliseconds. */
const lookMs = 5000;

export type SqliteStoreDependencies = StoreEvents & {
	readonly clock: Clock;
	readonly log?: Logger;
	/** Called after each commit with the number of writes that shared it. */
	readonly onCommit?: (writes: number) => void;
};

/** The open file, and its state kept in memory. */
type Opened = {
	readonly database: DatabaseSync;
	/** The lock of the only writer. */
	readonly lock: FileLock;
	readonly memory: OpenedMemory;
};

/** Makes a `Store` on SQLite from its parts, for a database that `openSqliteStore` has opened. */
export function createSqliteStore(
	{
		database,
		lock,
		memory: {counters, pending, timed, left: found},
		clock,
		log = silentLogger,
		onCommit,
		onFailing = () => {},
	}: SqliteStoreDependencies & Opened,
	{
		file,
		freshKeys,
		node = hostname(),
	}: {readonly file: string; readonly freshKeys: number; readonly node?: string | undefined},
): Store {
	const onBroken = warnOfBroken({clock, log});
	const steady = createSteadyClock(clock);
	const steadyNow = steady.now;
	const tellFailing = (reason: string | undefined) => {
		onFailing(reason);
		if (reason === undefined) {
			log.note('The journal can be written again');
		} else {
			log.error(reason);
		}
	};

	const keys = createIdempotencyKeys(
		{database, now: steadyNow, defer: (task, settled) => commit.defer(task, settled)},
		{generation: freshKeys},
	);
	const commit = createGroupCommit(
		{
			database,
			clock,
			memory: joinMemories([counters, keys, pending, timed]),
			lost: createMovedCheck({database, clock}, {file}),
			onCommit,
			onFailing: tellFailing,
		},
		{file},
	);
	const watchLock = createLockWatch(lock, {path: lockPathOf(file), log});
	const stopLooking = every(clock, lookMs, () => {
		commit.check();
		watchLock();
	});
	const {isLast, ...shared} = createSharedMemory(clock, timed.latestStarts());
	const base = {database, clock, counters, pending, timed, steady, steadyNow, onBroken};
	const times = createDueTimes(base);
	const enqueue = createEnqueue({...base, times});
	const pool = createWaitingPool(figuresInMemory(base));
	const parts: StoreParts = {
		...base,
		engine: sqliteEngine(database, onBroken),
		commit,
		keys,
		times,
		enqueue,
		pool,
		notes: createNoteBudget(clock),
		approvalSteps: createApprovalSteps(database),
		groupSteps: createGroupSteps({...base, enqueue}),
		jobSteps: createJobSteps({database, enqueue, pool}),
		memoSteps: createMemoSteps(base),
		owner: randomUUID(),
		isLast,
		publish: note => shared.events.publish(note),
	};
	const reserve = createReserve(file);
	const settle = () => commit.flushDeferred();
	const history = createHistory({clock, onBroken, settle}, {file});
	const takeOver = createTakeOver(parts);
	let left = found;
	const leased = database.prepare(
		'select id from run where finished_at is null and due_at is null',
	);
	const uncount = database.prepare(
		'update run set lost_leases = lost_leases - 1 where id = ? and finished_at is null and due_at is null',
	);
	const ownLeases = () => {
		const others = new Set(left.runs.map(({id}) => id));
		return leased
			.all()
			.map(row => integerOf(row['id']))
			.filter(id => !others.has(id));
	};
	/** A takeover counts every lease as lost; leases left by an orderly end do not mean that a run does harm, so they are uncounted. */
	const giveBack = () => {
		const own = ownLeases();
		if (own.length > 0) {
			commit.defer(() => {
				for (const id of own) {
					uncount.run(id);
				}
			});
		}
	};

	const newest = integerOf(database.prepare('select max(id) as id from delivery').get()?.['id']);
	reserve.ensure();
	return {
		intake: createIntake(parts),
		runs: createRuns(parts),
		groups: createGroups(parts),
		approvals: createStoredApprovals(parts),
		jobs: createJobs(parts),
		journal: {
			...createJournalReader(parts.engine, settle),
			count: async () => counters.deliveries,
			purge: createPurge(parts, reserve),
		},
		history,
		memos: createMemos(parts),
		conversations: createConversations(parts),
		keys: createStoredKeys(parts),
		sessions: createStoredSessions(parts),
		...shared,
		owner: parts.owner,
		cluster: createClusterOfOne(parts, {node, leases: () => ownLeases().length}),
		lastId: newest === 0 ? '' : idOfNumber(newest),
		// The lock admits one process at a time: every other owner, named or not, is dead.
		async takeOver() {
			const isNothing = Object.values(left).every(({length}) => length === 0);
			const taken = isNothing
				? takeOver(left)
				: await givingReserve(reserve, async () => commit.write(() => takeOver(left)));
			left = nothingLeft;
			reserve.ensure();
			return taken;
		},
		async health() {
			const failing = commit.failing();
			return {
				...(failing !== undefined && {failing}),
				notesDropped: parts.notes.dropped(),
				commitP50Ms: commit.durations.percentile(0.5),
				commitP99Ms: commit.durations.percentile(0.99),
			};
		},
		async [Symbol.asyncDispose]() {
			stopLooking();
			// Before the database: the last connection to close checkpoints the log.
			await history[Symbol.asyncDispose]();
			if (database.isOpen) {
				giveBack();
				commit.close();
				database.close();
			}

			lock[Symbol.dispose]();
		},
	};
}
