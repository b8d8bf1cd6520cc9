import {idempotencyMs} from '../../core/delivery.ts';
import {integerOf, type Row} from '../columns.ts';
import {windowMs} from '../limits/paces.ts';
import type {Retention, Purged} from '../port.ts';
import {
	applyRetention,
	belongings,
	isNewest,
	isYounger,
	type Slice,
	waits,
	wentThrough,
	works,
} from '../retention.ts';
import {emptySessionMs, maxRejections, maxSessionBytes, sameMessageMs} from '../rules.ts';
import {readCounters} from './counters.ts';
import type {Database, Transaction} from './database.ts';
import {batchMemos} from './keys.ts';
import {longestMs} from './named-leases.ts';

/** Maximum number of rows examined by one transaction. */
const slice = 200;
/** A pace unused for this long has ended, milliseconds, except for promised starts. */
const endedPaceMs = 3_600_000;

type Step = (transaction: Transaction, retention: Retention, after: number) => Promise<Slice>;

/** Drops bodies that are too old, then, oldest first, those above the total size; never those of a pending group or an unfinished run. The index only has rows with a body. */
const bodies: Step = async ({query, run, now}, {bodyMs, bodyBytes}, after) => {
	const rows = await query(
		`select delivery.id, delivery.id as number, received_at, octet_length(body) as bytes, ${waits}::integer as needed
		from ${works} where delivery.id > $1 and body is not null order by delivery.id limit ${slice}`,
		[after],
	);
	let {bodyBytes: kept} = await readCounters({query});
	const gone: number[] = [];
	let last = after;
	for (const row of rows) {
		if (isYounger(row, bodyMs, now) && kept <= bodyBytes) {
			break;
		}

		last = integerOf(row['id']);
		if (integerOf(row['needed']) === 0) {
			gone.push(last);
			kept -= integerOf(row['bytes']);
		}
	}

	await run('update delivery set body = null where id = any($1::bigint[])', [gone]);
	return {went: gone.length, last, more: wentThrough(rows, last, slice)};
};

/** Deletes expired identifiers. */
const identifiers: Step = async ({run, now}) =>
	sliceOf(
		await run(
			`delete from claim where (profile, route, delivery_id) in (
				select profile, route, delivery_id from claim where at <= $1 order by at limit ${slice}
			)`,
			[now - idempotencyMs],
		),
	);

/** Deletes platform messages too old to count as duplicates. */
const messages: Step = async ({run, now}) =>
	sliceOf(
		await run(
			`delete from inbound where (platform, message) in (
				select platform, message from inbound where at <= $1 order by at limit ${slice}
			)`,
			[now - sameMessageMs],
		),
	);

/** Deletes named leases that expired long ago, and rate windows and paces that have ended. A pace that runs still wait for is rebuilt from their times. */
const expired: Step = async ({run, now}) => {
	await run('delete from named_lease where until <= $1', [now - longestMs]);
	await run('delete from rate_window where starts_at <= $1', [now - windowMs]);
	await run('delete from pace where at <= $1', [now - endedPaceMs]);
	await run(
		`delete from memo where kind = '${batchMemos}' and name not in (select owner from member)`,
	);
	return {went: 0, last: 0, more: false};
};

/** Deletes, oldest first, the rejections above their limit; their index has only rejections. */
const rejections: Step = async ({run}) => {
	const rejected = "from delivery where status >= 400 and outcome <> 'delivery'";
	return sliceOf(
		await run(
			`delete from delivery where id in (
				select id ${rejected} and id < (
					select case when count(*) = ${maxRejections} then min(id) end from (select id ${rejected} order by id desc limit ${maxRejections}) as kept
				) order by id limit ${slice}
			)`,
		),
	);
};

/** Deletes, oldest first, what is too old and not needed. The newest delivery, group and run stay. */
const rows: Step = async ({query, run, now}, {rowMs}, after) => {
	const found = await query(
		`select delivery.id, delivery.id as number, received_at, ${belongings}, (${waits} or coalesce(${isNewest}, false))::integer as needed
		from ${works} where delivery.id > $1 and delivery.id < (select max(id) from delivery) order by delivery.id limit ${slice}`,
		[after],
	);
	return deleteOld({run, query}, found, {
		after,
		isYoung: row => isYounger(row, Math.max(rowMs, idempotencyMs), now),
	});
};

/** Like `rows`, for runs that no delivery started. */
const jobRuns: Step = async ({query, run, now}, {rowMs}, after) => {
	const found = await query(
		`select run.id, run.id as own_run, created_at as received_at, (finished_at is null or run.id = (select max(id) from run))::integer as needed
		from job_run join run on run.id = job_run.run where job_run.run > $1 order by job_run.run limit ${slice}`,
		[after],
	);
	return deleteOld({run, query}, found, {
		after,
		isYoung: row => isYounger(row, rowMs, now),
	});
};

const runOf = (row: Row): number => integerOf(row['own_run']);

/** Whether the row is a delivery, not a run that no delivery started. */
const isDelivery = (row: Row): boolean => row['number'] !== undefined;

/** Visits rows until one is too young, and deletes those that nothing needs, with what belongs to them. A run that a person queues again meanwhile keeps its delivery. */
async function deleteOld(
	{query, run}: Pick<Transaction, 'query' | 'run'>,
	found: readonly Row[],
	{after, isYoung}: {readonly after: number; readonly isYoung: (row: Row) => boolean},
): Promise<Slice> {
	const young = found.findIndex(isYoung);
	const old = young === -1 ? found : found.slice(0, young);
	const unneeded = old.filter(row => integerOf(row['needed']) === 0);
	const ended = new Set(
		(
			await query(
				'select id from run where id = any($1::bigint[]) and finished_at is not null for update',
				[unneeded.map(runOf).filter(id => id > 0)],
			)
		).map(row => integerOf(row['id'])),
	);
	const gone = unneeded.filter(row => runOf(row) === 0 || ended.has(runOf(row)));
	await run(
		`with transcripts as (delete from transcript where run = any($1::bigint[])),
			answers as (delete from answer where run = any($1::bigint[])),
			plans as (delete from job_run where run = any($1::bigint[])),
			runs as (delete from run where id = any($1::bigint[])),
			groups as (delete from coalesce_group where id = any($2::bigint[]))
		delete from delivery where id = any($3::bigint[])`,
		[
			[...ended],
			gone.map(row => integerOf(row['own_group'])).filter(id => id > 0),
			gone.filter(isDelivery).map(row => integerOf(row['id'])),
		],
	);
	const last = old.length === 0 ? after : integerOf(old.at(-1)?.['id']);
	return {went: gone.length, last, more: wentThrough(found, last, slice)};
}

/**
 * Deletes sessions that are too old or above the total size, least recently used first, and those that stayed empty for a day. `after`: the size of the remaining ones,
 * once known.
 */
const sessions: Step = async ({query, run, now}, {rowMs}, after) => {
	const [sum] = after > 0 ? [] : await query('select sum(bytes) as bytes from session');
	let bytes = after > 0 ? after : integerOf(sum?.['bytes']);
	const gone: number[] = [];
	for (const row of await query(
		`select seq, used_at, bytes from session order by used_at, seq limit ${slice}`,
	)) {
		if (now - integerOf(row['used_at']) <= rowMs && bytes <= maxSessionBytes) {
			break;
		}

		gone.push(integerOf(row['seq']));
		bytes -= integerOf(row['bytes']);
	}

	for (const row of await query(
		`select seq from session where messages = 0 and used_at < $1 and seq <> all($2::bigint[]) limit ${slice}`,
		[now - emptySessionMs, gone],
	)) {
		gone.push(integerOf(row['seq']));
	}

	await run(
		'with messages as (delete from session_message where session = any($1::bigint[])) delete from session where seq = any($1::bigint[])',
		[gone],
	);
	return {went: gone.length, last: bytes, more: gone.length >= slice};
};

const sliceOf = (went: number): Slice => ({went, last: 0, more: went === slice});

/** Applies a retention in short transactions, oldest rows first: each finds its rows by an index and examines a few hundred. */
export const purge = async (
	database: Database,
	retention: Retention,
	signal?: AbortSignal,
): Promise<Purged> =>
	applyRetention<Step>(
		{
			bodies,
			forgotten: [identifiers, messages, expired],
			rows: [rejections, rows, sessions, jobRuns],
		},
		async (step, after = 0) =>
			database.transact(async transaction => step(transaction, retention, after)),
		signal,
	);
