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

/** Tries of a transaction that lost against another one, or whose connection broke within so many milliseconds. */
const maxTries = 4;
const breakMs = 1000;
const rememberedCommits = 512;
/** A gateway that ends sends nothing for so long to a database that did not answer, milliseconds: each of its many last writes would wait. */
const silentMs = 10_000;

/** A column that may be a parameter. Text has each NUL replaced: PostgreSQL takes none. */
export type SqlValue =
	| string
	| number
	| bigint
	| boolean
	| null
	| Uint8Array
	| ReadonlyArray<string | number | null | Uint8Array>;

export type Statements = {
	/** The rows of one statement with parameters `$1`, `$2`, … Integers come as numbers, JSON as text. @throws SvcError `journal_unavailable`; within a transaction, what the driver throws */
	readonly query: (text: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;
	/** How many rows a statement changed. Errors as of `query`. */
	readonly run: (text: string, values?: readonly SqlValue[]) => Promise<number>;
};

export type Transaction = Statements & {
	/** The time of the database, after the lock was taken; milliseconds since 1970. */
	readonly now: number;
	/** The rows of the last statement: the commit is sent with it, so that the lock is held for no further answer. Whatever came before has to have succeeded. */
	readonly finish: Statements['query'];
};

/** A database of PostgreSQL and its connections. No statement leaves anything in a session, so that PgBouncer may hand its connections around. */
export type Database = Statements &
	Engine & {
		/** Name and place of it, without a secret. */
		readonly name: string;
		/**
		 * Runs `work` in one transaction, again from the start when that lost against another or its connection broke before the commit; with `lock`, no other member is in such a transaction meanwhile. `syncsUnlocked`: the lock is given back before the disk
		 * is waited for. @throws SvcError `journal_unavailable`
		 */
		transact<Result>(
			work: (transaction: Transaction) => Promise<Result>,
			lock?: LockName,
			options?: {readonly syncsUnlocked?: boolean},
		): Promise<Result>;
		/** Waits until all that was seen is on disk, of whichever member. @throws SvcError `journal_unavailable` */
		sync(): Promise<void>;
		/** A connection for a while, until it is released. */
		connect(): Promise<PoolClient>;
		/** The time of the database as far as it is known here, milliseconds since 1970. */
		now(): number;
		/** Why the last statement failed, when all fail now. */
		failing(): string | undefined;
		/** Durations of the last transactions. */
		readonly durations: {percentile(share: number): number};
		/** Waits for what is under way, and a second for a database that does not answer. */
		close(): Promise<void>;
	};

/**
 * Waits until the disk has all that was committed before it, although that did not wait (`synchronous_commit = off`). For:
 * - A commit writes its record to the log before its changes can be seen and its locks are given back. So the record of whatever this session has seen or committed lies before the one that is written here.
 * - A message within a transaction is written to the log by a transaction with a number. Its own commit waits, as `synchronous_commit` of the server says, until the log is flushed (and has reached standbys
 *   that are waited for) up to its own record: the log is one sequence, so all records before it are, too, whichever session wrote them.
 * It counts on no connection of its own. A reader of what is not on disk yet may be told of it; whoever promises something because of it has waited for this, or for the commit of a write, which does the same.
 */
const syncAll = "select pg_logical_emit_message(true, 'svc', '')";

/** One try of a transaction. */
type Attempt = {
	readonly lock: LockName | undefined;
	readonly syncsUnlocked: boolean;
	/** The commit is about to be sent: it may be done whatever comes. */
	readonly onCommit: () => void;
	/** Gets the commands that were done. */
	readonly commands: string[];
};

export type DatabaseDependencies = {
	readonly clock: Clock;
	/** Stands for the clock of the database, milliseconds since 1970. */
	readonly time?: (() => number) | undefined;
	/** A pool of the caller, made with `createPool`, that is left open. */
	readonly pool?: Pool | undefined;
	/** Aborts when the gateway begins to end: a database that does not answer keeps it no longer than once. */
	readonly ending?: AbortSignal | undefined;
	readonly onFailing?: ((reason: string | undefined) => void) | undefined;
	readonly onBroken?: OnBroken | undefined;
};

/**
 * Opens connections to `url` as they are needed; none is made yet. `time` stands for the clock of the database.
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
	/** The time of the database less that of this process. */
	let offset: number | undefined;
	const health = createDatabaseHealth(onFailing);
	/** Why nothing was answered, and until when nothing is asked. */
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
		// Several statements in one message come as several results.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the driver know of one only
		const results = (await client.query(beginning(lock, isSynced))) as unknown as ReadonlyArray<
			QueryResult<{readonly now: number}>
		>;
		const measured = time?.() ?? results.at(-1)?.rows[0]?.now ?? clock.now();
		// It was measured somewhere between the two: what was known before is corrected as far as it cannot be true, and an answer that was read late does not set the clock back.
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
			// After a statement that failed, a commit is a rollback.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- several statements in one message come as several results
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
					// The error of the statement comes first.
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
				// The server might not answer a rollback either, and be waited for as long again. It rolls back by itself what is cut off.
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
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
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
