import {randomUUID} from 'node:crypto';
import {idOfNumber} from '../../core/ids.ts';
import type {Logger} from '../../core/log.ts';
import {warnOfBroken} from '../broken-rows.ts';
import {integerOf} from '../columns.ts';
import {createNoteBudget} from '../note-budget.ts';
import type {Store} from '../port.ts';
import {maxPauseMs} from '../rules.ts';
import {createStoredApprovals} from './approvals.ts';
import {createDeferred} from './batch.ts';
import {followChanges} from './changes.ts';
import {createConversations} from './conversations.ts';
import {createDatabase, type Database, type DatabaseDependencies} from './database.ts';
import {createDocuments} from './documents.ts';
import {createQueuedNote} from './enqueue.ts';
import {createGroups} from './groups.ts';
import {createHistory} from './history.ts';
import {createIntake} from './intake.ts';
import {createJobs} from './jobs.ts';
import {createJournal} from './journal.ts';
import {createKeyLimits} from './key-limits.ts';
import {createStoredKeys} from './keys.ts';
import {openMember} from './members.ts';
import {createMemos} from './memos.ts';
import {createNamedLeases} from './named-leases.ts';
import {createNotes} from './notes.ts';
import {createPaces} from './paces.ts';
import type {PostgresParts} from './parts.ts';
import {createRateWindows} from './rate-windows.ts';
import {createRuns} from './runs.ts';
import {migrate} from './schema.ts';
import {createStoredSessions} from './sessions.ts';
import {createTakeOver} from './take-over.ts';
import {createWaitingReader} from './waiting.ts';

export type PostgresStoreOptions = {
	readonly url: string;
	/** The setting `gateway.node`. */
	readonly node: string;
	/** Identifies the home. */
	readonly place: string;
	/** Where the home is; its first line is for people. At one location, at most one process opens the home at a time. */
	readonly location?: string;
};

/** Opens a store on PostgreSQL. @throws SvcError `store_too_new`, `store_copy_incomplete`, `cluster_full`, `member_duplicate`, `journal_unavailable` */
export async function openPostgresStore(
	{log, ...world}: Omit<DatabaseDependencies, 'onBroken'> & {readonly log?: Logger},
	{url, node, place, location = ''}: PostgresStoreOptions,
): Promise<Store> {
	const {clock, ending} = world;
	await using stack = new AsyncDisposableStack();
	const leaving = new AbortController();
	const database = createDatabase(
		{
			...world,
			onBroken: warnOfBroken({clock, log}),
			ending: ending ? AbortSignal.any([ending, leaving.signal]) : leaving.signal,
		},
		{url},
	);
	stack.defer(() => database.close());
	await migrate(database);
	const owner = randomUUID();
	// Its connection is opened concurrently.
	const events = stack.use(createNotes({database, clock, owner}));
	const publish: PostgresParts['publish'] = note => events.publish(note);
	const member = await openMember({database, clock, owner, publish, log}, {node, place, location});
	stack.defer(() => member.close());
	const deferred = createDeferred({database, clock});
	stack.defer(() => deferred.close());
	const base = {database, clock, deferred, owner, publish};
	const runs = createRuns(base);
	stack.defer(() => runs.close());
	const [newest] = await database.query('select max(id) as id from delivery');
	const lastId = integerOf(newest?.['id']);
	await pullBack(database);
	stack.use(await followChanges(base, events.tell));
	await events.listening;
	const parts: PostgresParts = {
		...base,
		notes: createNoteBudget(clock),
		queued: stack.use(createQueuedNote(base)),
		readWaiting: createWaitingReader(clock),
	};
	const keyLimits = stack.use(createKeyLimits(parts));
	stack.defer(() => leaving.abort());
	const all = stack.move();
	return {
		owner,
		events,
		journal: createJournal(parts),
		history: createHistory(parts),
		runs: runs.runs,
		cluster: member.cluster,
		share: member.share,
		takeOver: createTakeOver(parts),
		lastId: lastId === 0 ? '' : idOfNumber(lastId),
		intake: createIntake(parts),
		groups: createGroups(parts),
		jobs: createJobs(parts),
		limits: {windows: createRateWindows(database), paces: createPaces(database), keys: keyLimits},
		leases: createNamedLeases(parts),
		async health() {
			const failing = database.failing();
			const notesLagMs = events.lagMs();
			return {
				...(notesLagMs !== undefined && {notesLagMs}),
				...(failing !== undefined && {failing}),
				notesDropped: parts.notes.dropped(),
				commitP50Ms: database.durations.percentile(0.5),
				commitP99Ms: database.durations.percentile(0.99),
			};
		},
		approvals: createStoredApprovals(parts),
		conversations: createConversations(parts),
		documents: createDocuments(parts),
		keys: createStoredKeys(parts),
		memos: createMemos(parts),
		sessions: createStoredSessions(parts),
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	};
}

/**
 * Corrects times that are ahead of the database's clock, which has been set back since they were written, for instance by moving to another machine. A promised start is
 * then no further ahead than when promised, a retry at most an hour, a group had its last event now, and an identifier counts as claimed now. Changes nothing if the clock
 * was not set back.
 */
async function pullBack(database: Database): Promise<void> {
	await database.transact(
		async ({finish, now}) =>
			finish(
				`with claims as (update claim set at = $1 where at > $1), groups as (
					update coalesce_group set first_at = first_at - last_at + $1, last_at = $1, quiet_at = quiet_at - last_at + $1, cap_at = cap_at - last_at + $1
					where run is null and last_at > $1
				), ahead as (
					select id, $1 + least(due_at - $1, case
						when awaits_logins is not null then login_wait
						when attempt + delivery_attempt = 0 then greatest(0, due_at - created_at)
						else ${maxPauseMs} end) as due_at
					from run where due_at > $1
				)
				update run set created_at = least(run.created_at, $1), due_at = ahead.due_at from ahead where run.id = ahead.id and run.due_at > ahead.due_at`,
				[now],
			),
		'accept',
	);
}
