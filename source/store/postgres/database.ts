import {DatabaseError, Pool, type PoolClient, type QueryResult, types} from 'pg';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {Row} from '../columns.ts';
import {createDurations} from '../durations.ts';
import {type Connection, connectionOf, nameOf} from './connection.ts';
import {concernsDatabase, isWorthRepeating, journalUnavailable} from './postgres-errors.ts';

/** How long a connection is waited for, and one answer, milliseconds: a sender gives up after ten seconds. */
const connectMs = 3000;
const answerMs = 6000;
/** A member that is stopped in the middle of a transaction keeps its locks no longer. */
const idleInTransaction = '3s';
const statementTimeout = '5s';
/** Tries of a transaction that lost against another one. */
const maxTries = 4;
const rememberedCommits = 512;

/**
 * What the transactions of all members take one after the other. A lock is one of the transaction, which ends with it: a lock of a session would outlive its owner behind PgBouncer. Whoever takes two,
 * takes them in this order.
 */
const locks = {
	schema: 1,
	members: 2,
	accept: 3,
	lease: 4,
	approvals: 5,
	sessions: 6,
	keys: 7,
	documents: 8,
} as const;

export type LockName = keyof typeof locks;

/** The class of our advisory locks: "svc". */
const lockClass = 0x73_76_63;

/** A column that may be a parameter. Text has each NUL replaced: PostgreSQL takes none. */
export type Parameter =
	| string
	| number
	| bigint
	| boolean
	| null
	| Uint8Array
	| ReadonlyArray<string | number | null | Uint8Array>;

export type Statements = {
	/** The rows of one statement with parameters `$1`, `$2`, … Integers come as numbers, JSON as text. */
	readonly query: (text: string, values?: readonly Parameter[]) => Promise<readonly Row[]>;
	/** How many rows a statement changed. */
	readonly run: (text: string, values?: readonly Parameter[]) => Promise<number>;
};

export type Transaction = Statements & {
	/** The time of the database, after the lock was taken; milliseconds since 1970. */
	readonly now: number;
};

/** A database of PostgreSQL and its connections. No statement leaves anything in a session, so that PgBouncer may hand its connections around. */
export type Database = Statements & {
	/** Name and place of it, without a secret. */
	readonly name: string;
	/** What a connection of its own, outside of the pool, is opened with. */
	readonly connection: Connection;
	/** Runs `work` in one transaction, again from the start when that lost against another; with `lock`, no other member is in such a transaction meanwhile. @throws SvcError `journal_unavailable` */
	transact<Result>(
		work: (transaction: Transaction) => Promise<Result>,
		lock?: LockName,
	): Promise<Result>;
	/** The time of the database as far as it is known here, milliseconds since 1970. */
	now(): number;
	/** Why the last statement failed, when all fail now. */
	failing(): string | undefined;
	/** Durations of the last transactions. */
	readonly durations: {percentile(share: number): number};
	/** Waits for what is under way. */
	close(): Promise<void>;
};

const {INT8, NUMERIC} = types.builtins;
const ignore = () => {};

/** Text as PostgreSQL takes it. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\u{2400}');

const clean = (value: Parameter): unknown => {
	if (typeof value === 'string') {
		return withoutNul(value);
	}

	if (Array.isArray(value)) {
		return value.map((one: string | number | null | Uint8Array) =>
			typeof one === 'string' ? withoutNul(one) : one,
		);
	}

	return value;
};

const ask = async (
	client: Pick<PoolClient, 'query'>,
	text: string,
	values: readonly Parameter[] = [],
): Promise<QueryResult<Row>> => client.query<Row>(text, values.map(clean));

/**
 * Opens connections to `url` as they are needed; none is made yet. `time` stands for the clock of the database.
 *
 * @throws SvcError `journal_unavailable`: a file that the URL names cannot be read
 */
export function createDatabase(
	{
		clock,
		time,
		onFailing = () => {},
	}: {
		readonly clock: Clock;
		readonly time?: (() => number) | undefined;
		readonly onFailing?: ((reason: string | undefined) => void) | undefined;
	},
	{url}: {readonly url: string},
): Database {
	const name = nameOf(url);
	const connection = connectionOf(url);
	const pool = new Pool({
		...connection,
		max: 10,
		connectionTimeoutMillis: connectMs,
		query_timeout: answerMs,
		allowExitOnIdle: true,
		types: {
			getTypeParser: (id, format) =>
				id === INT8 || id === NUMERIC ? Number : types.getTypeParser(id, format),
		},
	});
	// One that is idle and breaks is replaced when it is needed.
	pool.on('error', () => {});
	const durations = createDurations(rememberedCommits);
	let offset = 0;
	let failing: string | undefined;
	let closed: Promise<void> | undefined;

	const tell = (reason: string | undefined) => {
		const changed = failing !== reason;
		failing = reason;
		if (changed) {
			onFailing(reason);
		}
	};

	const refuse = (error: unknown) => {
		const refusal = journalUnavailable(name, error);
		if (concernsDatabase(error) && !closed) {
			tell(refusal.message);
		}

		return refusal;
	};

	const answer = async (text: string, values?: readonly Parameter[]) => {
		try {
			const result = await ask(pool, text, values);
			tell(undefined);
			return result;
		} catch (error) {
			throw refuse(error);
		}
	};

	const begin = async (client: PoolClient, lock: LockName | undefined) => {
		const lines = [
			'begin',
			`set local idle_in_transaction_session_timeout = '${idleInTransaction}'`,
			`set local statement_timeout = '${statementTimeout}'`,
			...(lock === undefined ? [] : [`select pg_advisory_xact_lock(${lockClass}, ${locks[lock]})`]),
			'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
		];
		// Several statements in one message come as several results.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the driver know of one only
		const results = (await client.query(lines.join(';'))) as unknown as ReadonlyArray<
			QueryResult<{readonly now: number}>
		>;
		const measured = time?.() ?? results.at(-1)?.rows[0]?.now ?? clock.now();
		offset = measured - clock.monotonic();
		return measured;
	};

	const once = async <Result>(
		work: (transaction: Transaction) => Promise<Result>,
		lock: LockName | undefined,
	): Promise<Result> => {
		const client = await pool.connect();
		// One that breaks between two statements: the next one says so.
		client.on('error', ignore);
		let broken: Error | undefined;
		try {
			const now = await begin(client, lock);
			const result = await work({
				now,
				query: async (text, values) => (await ask(client, text, values)).rows,
				run: async (text, values) => (await ask(client, text, values)).rowCount ?? 0,
			});
			const commit = await client.query('commit');
			if (commit.command !== 'COMMIT') {
				throw new Error('the transaction was rolled back');
			}

			return result;
		} catch (error) {
			if (error instanceof DatabaseError || error instanceof SvcError) {
				await client.query('rollback').catch((cause: unknown) => {
					broken = cause instanceof Error ? cause : new Error('it does not answer');
				});
			} else {
				// The server might not answer a rollback either, and be waited for as long again. It rolls back by itself what is cut off.
				broken = error instanceof Error ? error : new Error('it does not answer');
			}

			throw error;
		} finally {
			client.off('error', ignore);
			client.release(broken);
		}
	};

	return {
		name,
		connection,
		query: async (text, values) => (await answer(text, values)).rows,
		run: async (text, values) => (await answer(text, values)).rowCount ?? 0,
		async transact(work, lock) {
			const start = clock.monotonic();
			for (let tries = 1; ; tries += 1) {
				try {
					// oxlint-disable-next-line no-await-in-loop -- one try after the other
					const result = await once(work, lock);
					durations.add(clock.monotonic() - start);
					tell(undefined);
					return result;
				} catch (error) {
					if (!isWorthRepeating(error) || tries === maxTries) {
						throw refuse(error);
					}
				}
			}
		},
		now: () => Math.floor(time?.() ?? (offset === 0 ? clock.now() : clock.monotonic() + offset)),
		failing: () => failing,
		durations,
		async close() {
			closed ??= pool.end();
			await closed;
		},
	};
}
