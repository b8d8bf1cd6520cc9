import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {createSemaphore} from '../../core/mutex.ts';
import {createCounts} from '../history/count.ts';
import type {HistorySearching} from '../history/port.ts';
import {type HistoryEngine, searchStep} from '../history/search-step.ts';
import {createSums} from '../history/sum.ts';
import {historyBusy, historyUnreadable, stepOf} from '../history/under-way.ts';
import type {Database, SqlValue, Transaction} from './database.ts';
import {narrowingOf, postgresNouns} from './history-nouns.ts';
import type {PostgresParts} from './parts.ts';

/** Maximum number of concurrent questions (the other connections are for writes), then of waiting ones, and how long they may wait, milliseconds. */
const atOnce = 2;
const maxWaiting = 14;
const maxWaitMs = 600_000;

const neverAborts = new AbortController().signal;

/** Attempts, in order, when a statement takes too long: the fraction of the rows in a stretch, and the time limit of a statement, milliseconds. */
const tries = [
	{share: 1, ms: 250},
	{share: 1 / 20, ms: 500},
	{share: 1 / 200, ms: 2000},
] as const;

const cancelled = '57014';

/** Searches the history step by step, each step in a short read-only transaction; if the database is slow, steps become smaller. */
export function createHistory({
	database,
	clock,
	deferred,
}: Pick<PostgresParts, 'clock' | 'database'> & {
	/** Writes deferred writes first. */
	readonly deferred: Pick<PostgresParts['deferred'], 'flush'>;
}): HistorySearching {
	const engine = {
		onBroken: database.onBroken,
		nouns: postgresNouns,
		narrowingOf,
		words: {
			list: (column: string, fits: string) =>
				`coalesce(json_agg(${column}) filter (where ${fits}), '[]')::text`,
			among: (column: string) => `${column} = any(?::bigint[])`,
		},
		stretchRows: {first: 2000, withBody: 200, most: 50_000, growth: 4},
	};
	const places = createSemaphore(clock, {count: atOnce, maxWaiting});
	const ask = async <Answer>(
		step: (transaction: Transaction, share: number) => Promise<Answer>,
		signal = neverAborts,
	): Promise<Answer> => {
		signal.throwIfAborted();
		const leave = await places.take(maxWaitMs, signal);
		if (!leave) {
			throw signal.aborted ? historyUnreadable('whoever asked has gone') : historyBusy(maxWaiting);
		}

		try {
			await deferred.flush();
			return await inTime(database, step);
		} catch (error) {
			throw error instanceof SvcError && error.code === 'journal_unavailable'
				? historyUnreadable(messageOf(error))
				: error;
		} finally {
			leave();
		}
	};

	return {
		search: async (noun, question, signal) =>
			ask(
				async (transaction, share) =>
					searchStep({...engine, ask: askIn(transaction), share}, noun, question),
				signal,
			),
		count: async question =>
			ask(async transaction => stepOf(askIn(transaction), createCounts(question))),
		async sum(question, signal) {
			const sums = createSums(question);
			for (;;) {
				// oxlint-disable-next-line no-await-in-loop -- other questions are answered between the steps
				const done = await ask(async transaction => stepOf(askIn(transaction), sums), signal);
				if (done) {
					return done;
				}
			}
		},
	};
}

/** Runs one step within the time limits of statements. @throws SvcError `history_unreadable` when even the smallest step takes too long */
async function inTime<Answer>(
	database: Database,
	step: (transaction: Transaction, share: number) => Promise<Answer>,
): Promise<Answer> {
	for (const {share, ms} of tries) {
		// oxlint-disable-next-line no-await-in-loop -- sequential attempts
		const done = await database.transact(async transaction => {
			await transaction.run(`savepoint step; set local statement_timeout = ${ms}`);
			try {
				return {answer: await step(transaction, share)};
			} catch (error) {
				if (codeOf(error) !== cancelled) {
					throw error;
				}

				await transaction.run('rollback to savepoint step');
				return undefined;
			}
		});
		if (done) {
			return done.answer;
		}
	}

	throw historyUnreadable(`${database.name} takes more than ${tries[2].ms} ms to read some rows`);
}

/** Returns a function that queries within a transaction, by SQL with a question mark for each binding. */
const askIn =
	({query}: Transaction): HistoryEngine['ask'] =>
	async (sql, bindings) => {
		let count = 0;
		const numbered = sql.replaceAll('?', () => `$${(count += 1)}`);
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- conditions bind texts and numbers
		return query(numbered, bindings as readonly SqlValue[]);
	};
