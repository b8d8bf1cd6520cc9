import {systemClock} from '../../core/clock.ts';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {lateMs, numberOfTime} from '../../core/ids.ts';
import {takenOutcomes} from '../../core/route-counts.ts';
import {integerOf, textOf} from '../columns.ts';
import type {
	CountQuestion,
	CountStep,
	HistorySearching,
	PartCount,
	StoredSums,
} from '../history/port.ts';
import {createSums, type SumsUnderWay} from '../history/sum.ts';
import type {Database, Statements, Transaction} from './database.ts';
import {numbered, searchStep, stepMs} from './history-search.ts';
import type {PostgresParts} from './parts.ts';

/** Questions that are asked at once: the other connections are for those who write. Those that may wait beside them. */
const most = {atOnce: 2, waiting: 16} as const;

/** What is tried one after the other where a statement takes too long: the share of the rows of a stretch, and how long a statement may take, milliseconds. */
const tries = [
	{share: 1, ms: 250},
	{share: 1 / 20, ms: 500},
	{share: 1 / 200, ms: 2000},
] as const;

const cancelled = '57014';

/** Rows that one statement counts. */
const countedRows = 4000;

/** Asks the history step by step, each in a short transaction that only reads; a database that takes long is asked for less at once. */
export function createHistory({
	database,
	deferred,
}: Pick<PostgresParts, 'database'> & {
	/** Brings to the database what was told and is not there yet. */
	readonly deferred: Pick<PostgresParts['deferred'], 'flush'>;
}): HistorySearching {
	const places = createPlaces();
	const ask = async <Answer>(
		step: (transaction: Transaction, share: number) => Promise<Answer>,
		signal?: AbortSignal,
	): Promise<Answer> => {
		signal?.throwIfAborted();
		return places(async () => {
			try {
				await deferred.flush();
				return await inTime(database, step);
			} catch (error) {
				throw error instanceof SvcError && error.code === 'journal_unavailable'
					? unreadable(messageOf(error))
					: error;
			}
		}, signal);
	};

	return {
		search: async (noun, question, signal) =>
			ask(
				async (transaction, share) =>
					searchStep(transaction, {onBroken: database.onBroken, noun, question, share}),
				signal,
			),
		count: async question => ask(async transaction => countStep(transaction, question)),
		async sum(question, signal) {
			const sums = createSums(question);
			for (;;) {
				// oxlint-disable-next-line no-await-in-loop -- others are answered between the steps
				const done = await ask(async transaction => sumStep(transaction, sums), signal);
				if (done) {
					return done;
				}
			}
		},
	};
}

/** One step, of which no statement takes longer than it may. @throws SvcError `history_unreadable` when it does, however little it asks for */
async function inTime<Answer>(
	database: Database,
	step: (transaction: Transaction, share: number) => Promise<Answer>,
): Promise<Answer> {
	for (const {share, ms} of tries) {
		// oxlint-disable-next-line no-await-in-loop -- one try after the other
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

	throw unreadable(`${database.name} takes more than ${tries[2].ms} ms to read some rows`);
}

/** One step of counting, the newest first: stretch by stretch until the time is over or nothing is left. */
async function countStep(
	{query}: Pick<Statements, 'query'>,
	{from, partMs, before = Number.MAX_SAFE_INTEGER}: CountQuestion,
): Promise<CountStep> {
	const endsAt = systemClock.monotonic() + stepMs;
	const counts: PartCount[] = [];
	let newest: number | undefined;
	for (let at = before; ;) {
		// oxlint-disable-next-line no-await-in-loop -- each begins where the one before ended
		const rows = await query(countSql, [
			from,
			partMs,
			at,
			// By when it was made, of which a delivery may fall short.
			numberOfTime(from - lateMs),
			countedRows,
		]);
		if (rows.length === 0) {
			return {counts, ...(newest !== undefined && {newest})};
		}

		newest ??= Math.max(...rows.map(row => integerOf(row['top'])));
		at = Math.min(...rows.map(row => integerOf(row['floor'])));
		for (const row of rows) {
			if (row['part'] !== null) {
				counts.push({
					profile: textOf(row['profile']),
					route: textOf(row['route']),
					part: integerOf(row['part']),
					received: integerOf(row['received']),
					taken: integerOf(row['taken']),
					refused: integerOf(row['refused']),
				});
			}
		}

		if (systemClock.monotonic() > endsAt) {
			return {counts, newest, searchedTo: at};
		}
	}
}

/** What came to no route has the name that a stranger gave it: those are one. What is not counted has no part. */
const countSql = `select case when outcome = 'route' then '' else profile end as profile, case when outcome = 'route' then '' else route end as route,
	case when received_at >= $1::double precision and id_source <> 'import' then floor((received_at - $1) / $2::double precision)::bigint end as part,
	count(*) as received, count(*) filter (where status >= 400) as refused,
	count(*) filter (where status < 400 and outcome in (${takenOutcomes.map(outcome => `'${outcome}'`).join(', ')})) as taken,
	min(id) as floor, max(id) as top
	from (select * from delivery where id < $3 and id >= $4::double precision order by id desc limit $5) as stretch group by 1, 2, 3`;

/** Sums until the time is over; the sums once they are all there. */
async function sumStep(
	{query}: Pick<Statements, 'query'>,
	sums: SumsUnderWay,
): Promise<StoredSums | undefined> {
	const endsAt = systemClock.monotonic() + stepMs;
	const sql = numbered(sums.sql);
	do {
		// oxlint-disable-next-line no-await-in-loop -- each begins where the one before ended
		const done = sums.take(await query(sql, [sums.at()]));
		if (done) {
			return done;
		}
	} while (systemClock.monotonic() < endsAt);

	return undefined;
}

/** Lets some questions through at once, and others wait in their order. Aborting frees the place of one that waits at once; what is being asked ends with its step, and nobody waits for it. */
function createPlaces() {
	const asked = new Set<{begin: () => void; isBegun: boolean}>();
	const beginNext = () => {
		const begun = [...asked].filter(({isBegun}) => isBegun).length;
		for (const one of [...asked].filter(({isBegun}) => !isBegun).slice(0, most.atOnce - begun)) {
			one.isBegun = true;
			one.begin();
		}
	};

	return async <Answer>(ask: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> => {
		if (asked.size >= most.waiting) {
			throw new SvcError(
				'history_busy',
				`Cannot search the history: ${most.waiting} searches wait already; try again in a moment`,
			);
		}

		const {promise, resolve, reject} = Promise.withResolvers<Answer>();
		const one = {
			isBegun: false,
			begin() {
				void ask()
					.then(resolve, reject)
					.finally(() => {
						asked.delete(one);
						beginNext();
					});
			},
		};
		const hangUp = () => {
			if (!one.isBegun) {
				asked.delete(one);
			}

			reject(unreadable('whoever asked has gone'));
		};

		signal?.addEventListener('abort', hangUp, {once: true});
		asked.add(one);
		beginNext();
		try {
			return await promise;
		} finally {
			signal?.removeEventListener('abort', hangUp);
		}
	};
}

const unreadable = (reason: string): SvcError =>
	new SvcError('history_unreadable', `Cannot search the history: ${reason}`);
