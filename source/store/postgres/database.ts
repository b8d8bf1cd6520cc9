import {DatabaseError, type Pool, type PoolClient, type QueryResult} from 'pg';
import type {Clock} from '../../core/clock.ts';
import type {OnBroken} from '../broken-rows.ts';
import type {Row} from '../columns.ts';
import type {Engine} from '../engine.ts';
import {createDurations} from '../transaction.ts';
import {ask, postgresEngine} from './ask.ts';
import {beginning, type LockName} from './begin.ts';
import {databaseName} from './connection.ts';
import {createDatabaseHealth} from './database-health.ts';
import {createPool, endPool} from './pool.ts';
import {
	concernsDatabase,
	isBreak,
	isSilence,
	isWorthRepeating,
	journalUnavailable,
	OwnError,
} from './postgres-errors.ts';

/** Attempts of a transaction that conflicted with another, or whose connection broke within `breakMs` milliseconds. */
const maxTries = 4;
const breakMs = 1000;
const rememberedCommits = 512;
/** How long a gateway that is ending sends nothing to a database that did not answer, milliseconds: otherwise each of its many last writes would wait. */
const silentMs = 10_000;

/** A parameter. NUL in texts is replaced, since PostgreSQL does not accept it. */
export type SqlValue =
	| string
	| number
	| bigint
	| boolean
	| null
	| Uint8Array
	| ReadonlyArray<string | number | null | Uint8Array>;

export type Statements = {
	/** Rows of a statement with parameters `$1`, …: integers as numbers, JSON as text. @throws SvcError `journal_unavailable`; within a transaction, what the driver throws */
	readonly query: (text: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;
	/** Resolves with the number of rows changed. Errors as for `query`. */
	readonly run: (text: string, values?: readonly SqlValue[]) => Promise<number>;
};

export type Transaction = Statements & {
	/** The time of the database, after the lock was taken; milliseconds since 1970. */
	readonly now: number;
	/** Runs the last statement and sends the commit along, so that the lock is not held for another round trip; everything before must have succeeded. Resolves with the rows. */
	readonly finish: Statements['query'];
};

/** A PostgreSQL database and its connections. No statement leaves state in a session, so that PgBouncer may share connections. */
export type Database = Statements &
	Engine & {
		/** Its host and name, without secrets. */
		readonly name: string;
		/**
		 * Runs `work` in one transaction; again from the start if it conflicted with another, or its connection broke before the commit. With `lock`, no other member is in a
		 * transaction with that lock meanwhile. `syncsUnlocked`: releases the lock before waiting for the disk.
		 *
		 * @throws SvcError `journal_unavailable`
		 */
		transact<Result>(
			work: (transaction: Transaction) => Promise<Result>,
			lock?: LockName,
			options?: {readonly syncsUnlocked?: boolean},
		): Promise<Result>;
		/** Waits until everything read so far, from any member, is on disk. @throws SvcError `journal_unavailable` */
		sync(): Promise<void>;
		/** Takes a connection out of the pool until it is released. */
		connect(): Promise<PoolClient>;
		/** The estimated time of the database, milliseconds since 1970. */
		now(): number;
		/** Why the last statement failed, when all fail now. */
		failing(): string | undefined;
		/** Durations of the last transactions. */
		readonly durations: {percentile(share: number): number};
		/** Waits for statements in progress, at most a second if the database does not answer. */
		close(): Promise<void>;
	};

/**
 * Waits until the disk has everything committed before, although those commits did not wait (`synchronous_commit = off`). Reasons:
 * - A commit writes its log record before its changes become visible and its locks are released. So the record of anything that this session has seen or committed
 *   precedes the one written here.
 * - A message within a transaction makes that transaction have a number and write to the log. Its own commit waits, as the server's `synchronous_commit` says, until the
 *   log is flushed (and has reached synchronous standbys) up to its own record: since the log is one sequence, this includes all records before it, from any session.
 * It needs no connection of its own. A reader may see data that is not on disk yet; whoever promises something based on it has waited for this, or for the commit of a
 * write, which has the same effect.
 */
const syncAll = "select pg_logical_emit_message(true, 'svc', '')";

/** One attempt of a transaction. */
type Attempt = {
	readonly lock: LockName | undefined;
	readonly syncsUnlocked: boolean;
	/** Called when the commit is about to be sent: from then on it may have happened. */
	readonly onCommit: () => void;
	/** Receives the commands performed. */
	readonly commands: string[];
};

export type DatabaseDependencies = {
	readonly clock: Clock;
	/** Replaces the clock of the database, milliseconds since 1970. */
	readonly time?: (() => number) | undefined;
	/** A pool of the caller, made with `createPool`; it is not closed here. */
	readonly pool?: Pool | undefined;
	/** Aborts when the gateway begins to end: then a database that does not answer is waited for only once. */
	readonly ending?: AbortSignal | undefined;
	readonly onFailing?: ((reason: string | undefined) => void) | undefined;
	readonly onBroken?: OnBroken | undefined;
};

/**
 * Prepares connections to `url`, which are opened when needed. `time` replaces the clock of the database.
 *
 * @throws SvcError `journal_unavailable`: a file that the URL names cannot be read
 */
export function createDatabase(
	{
		clock,
		time,
		pool: given,
		ending,
		onFailing = () => {},
		onBroken = () => {},
	}: DatabaseDependencies,
	{url}: {readonly url: string},
): Database {
	const name = databaseName(url);
	const pool = given ?? createPool(url);
	const durations = createDurations(rememberedCommits);
	/** The time of the database minus that of this process. */
	let offset: number | undefined;
	const health = createDatabaseHealth(onFailing);
	/** The error of a database that did not answer, and until when it is not asked again. */
	let silence: {readonly error: unknown; readonly until: number} | undefined;
	let closed: Promise<void> | undefined;

	const refuse = (error: unknown) => {
		if (error instanceof OwnError) {
			return error.cause;
		}

		const refusal = journalUnavailable(name, error);
		if (ending?.aborted && isSilence(error)) {
			silence = {error, until: clock.monotonic() + silentMs};
		}

		if (concernsDatabase(error) && !closed) {
			health.fail(error, refusal.message);
		}

		return refusal;
	};

	const refuseSilent = () => {
		if (silence && clock.monotonic() < silence.until) {
			throw journalUnavailable(name, silence.error);
		}
	};

	const answer = async (text: string, values?: readonly SqlValue[]) => {
		refuseSilent();
		try {
			const result = await ask(pool, text, values);
			health.succeed([result.command]);
			return result;
		} catch (error) {
			throw refuse(error);
		}
	};

	const begin = async (client: PoolClient, lock: LockName | undefined, isSynced: boolean) => {
		const sent = clock.monotonic();
		// Several statements in one message return several results.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the driver's types know of one only
		const results = (await client.query(beginning(lock, isSynced))) as unknown as ReadonlyArray<
			QueryResult<{readonly now: number}>
		>;
		const measured = time?.() ?? results.at(-1)?.rows[0]?.now ?? clock.now();
		// The time was measured between sending and receiving: the offset is only corrected where it is impossible, so that a late answer does not set the clock back.
		const [least, most] = [measured - clock.monotonic(), measured - sent];
		offset = Math.min(Math.max(offset ?? least, least), most);
		return measured;
	};

	const once = async <Result>(
		work: (transaction: Transaction) => Promise<Result>,
		{lock, syncsUnlocked, onCommit, commands}: Attempt,
	): Promise<Result> => {
		const client = await pool.connect();
		let broken: Error | undefined;
		let committing: Promise<void> | undefined;
		const commit = async () => {
			onCommit();
			const answers: unknown = await client.query(syncsUnlocked ? `commit; ${syncAll}` : 'commit');
			// After a failed statement, a commit is a rollback.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- several statements in one message return several results
			const [first] = [answers].flat() as QueryResult[];
			if (first?.command !== 'COMMIT') {
				throw new Error('the transaction was rolled back');
			}
		};
		try {
			const now = await begin(client, lock, !syncsUnlocked);
			const failures = new Set<unknown>();
			const fail = (error: unknown) => {
				failures.add(error);
				throw error;
			};
			const send = async (text: string, values?: readonly SqlValue[]) => {
				const answered = await ask(client, text, values).catch(fail);
				commands.push(answered.command);
				return answered;
			};
			const query: Statements['query'] = async (text, values) => (await send(text, values)).rows;
			const result = await work({
				now,
				query,
				run: async (text, values) => (await send(text, values)).rowCount ?? 0,
				async finish(text, values) {
					const rows = query(text, values);
					committing = commit().catch(fail);
					// The error of the statement takes precedence.
					const [last] = await Promise.allSettled([rows, committing]);
					if (last.status === 'rejected') {
						throw last.reason;
					}

					return last.value;
				},
			}).catch((error: unknown) => {
				throw failures.has(error) ? error : new OwnError(error);
			});
			await (committing ?? commit());
			return result;
		} catch (error) {
			if (error instanceof DatabaseError || error instanceof OwnError) {
				await client.query('rollback').catch((cause: unknown) => {
					broken = cause instanceof Error ? cause : new Error('it does not answer');
				});
			} else {
				// The server might not answer a rollback either, and cost the same wait again. It rolls back by itself when disconnected.
				broken = error instanceof Error ? error : new Error('it does not answer');
			}

			throw error;
		} finally {
			client.release(broken);
		}
	};

	const query: Statements['query'] = async (text, values) => (await answer(text, values)).rows;
	return {
		name,
		query,
		...postgresEngine({query, onBroken}),
		run: async (text, values) => (await answer(text, values)).rowCount ?? 0,
		async transact(work, lock, {syncsUnlocked = false} = {}) {
			refuseSilent();
			const start = clock.monotonic();
			for (let tries = 1; ; tries += 1) {
				const commands: string[] = [];
				let mayBeDone = false;
				const onCommit = () => {
					mayBeDone = true;
				};
				try {
					// oxlint-disable-next-line no-await-in-loop -- sequential attempts
					const result = await once(work, {lock, syncsUnlocked, onCommit, commands});
					durations.add(clock.monotonic() - start);
					health.succeed(commands);
					return result;
				} catch (error) {
					const isBroken = isBreak(error) && !mayBeDone && clock.monotonic() - start < breakMs;
					if (!(isWorthRepeating(error) || isBroken) || tries === maxTries) {
						throw refuse(error);
					}
				}
			}
		},
		connect: async () => pool.connect(),
		async sync() {
			await answer(syncAll);
		},
		now: () =>
			Math.floor(time?.() ?? (offset === undefined ? clock.now() : clock.monotonic() + offset)),
		failing: () => health.failing(),
		durations,
		async close() {
			closed ??= given ? Promise.resolve() : endPool(pool, clock);
			await closed;
		},
	};
}
