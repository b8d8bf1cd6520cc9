import type {DatabaseSync} from 'node:sqlite';
import {idempotencyMs} from '../core/delivery.ts';
import {lateMs, timeOfNumber} from '../core/ids.ts';
import {integerOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';
import {deliveryTables, runOfDelivery} from './delivery-rows.ts';
import type {StoreParts} from './parts.ts';
import type {Retention, Purged} from './port.ts';
import {maxRejections} from './rules.ts';
import {transcriptEnd, transcriptStart} from './transcripts.ts';

/** Maximum number of rows examined by one transaction, so that requests wait for a few milliseconds at most. */
const slice = 100;

/** The result of one slice. `went`: number of deletions; `last`: the row after which to continue; `more`: another slice may find something. */
export type Slice = {readonly went: number; readonly last: number; readonly more: boolean};

/** One short transaction, opened by the caller; continues after the row `after`, or where the last purge ended. */
export type RetentionStep = (retention: Retention, after?: number) => Slice;

/** Deliveries with their groups and runs. */
export const works = `${deliveryTables} left join run on run.id = ${runOfDelivery}`;

/** SQL condition: the group of a delivery is pending, or its run has not ended. */
export const waits =
	'(coalesce_group.id is not null and coalesce_group.run is null or run.id is not null and run.finished_at is null)';

/** SQL: the delivery has the newest run or group, from whose number the next follows. */
export const isNewest =
	'(run.id = (select max(id) from run) or coalesce_group.id = (select max(id) from coalesce_group))';

/**
 * Whether a row was received, or numbered, within `ageMs`: an imported delivery has a new number but keeps its original time of receipt, so the later one counts. A time in
 * the future, from a wrong clock, does not count.
 */
export function isYounger(row: Row, ageMs: number, now: number): boolean {
	const isWithin = (ms: number) => ms > now - ageMs && ms <= now;
	const receivedAt = integerOf(row['received_at']);
	const numberedAt = timeOfNumber(integerOf(row['number']));
	return isWithin(receivedAt) || (numberedAt > receivedAt + lateMs && isWithin(numberedAt));
}

/** Whether all of `rows` were processed, up to `last`, and more may follow. */
export const wentThrough = (rows: readonly Row[], last: number, most: number): boolean =>
	rows.length === most && integerOf(rows.at(-1)?.['id']) === last;

/** The steps of a retention, in their order. */
type RetentionSteps<Step> = {
	readonly bodies: Step;
	/** Steps whose deletions are not counted. */
	readonly forgotten: readonly Step[];
	readonly rows: readonly Step[];
};

/** Applies a retention slice by slice; other writes happen between slices. */
export async function applyRetention<Step>(
	{bodies, forgotten, rows}: RetentionSteps<Step>,
	perform: (step: Step, after: number | undefined) => Promise<Slice>,
	signal: AbortSignal | undefined,
): Promise<Purged> {
	const isWanted = () => signal?.aborted !== true;
	const apply = async (steps: readonly Step[]) => {
		let went = 0;
		for (const step of steps) {
			let done: Slice | undefined;
			while (isWanted() && done?.more !== false) {
				// oxlint-disable-next-line no-await-in-loop -- slices are sequential
				done = await perform(step, done?.last);
				went += done.went;
			}
		}

		return went;
	};

	const dropped = await apply([bodies]);
	await apply(forgotten);
	return {bodies: dropped, rows: await apply(rows)};
}

/**
 * Visits rows in the order of their numbers, until the first one that is too young; `usage` records how far it got. The age is from the time of receipt, or the one in the
 * number if that is later; a time in the future, from a wrong clock, does not end the visit. The newest delivery, group and run stay: the next numbers are derived from them.
 */
export function createRetentionSteps({
	database,
	clock,
	counters,
	steadyNow,
}: Pick<StoreParts, 'clock' | 'counters' | 'database' | 'steadyNow'>) {
	const floors = database.prepare('select body_floor, claim_floor from usage');
	const setBodyFloor = database.prepare('update usage set body_floor = ?');
	const setClaimFloor = database.prepare('update usage set claim_floor = ?');
	const deletion = createRowDeletion(database, counters);
	const withBodies = database.prepare(
		`select delivery.id, delivery.id as number, received_at, octet_length(body) as bytes, ${waits} as needed
		from ${works} where delivery.id > ? order by delivery.id limit ${slice}`,
	);
	const dropBody = database.prepare('update delivery set body = null where id = ?');
	const withoutClaims = database.prepare(
		`select id, id as number, received_at from delivery where id > ? order by id limit ${slice}`,
	);
	const ofDelivery = `from claim where delivery = ?1
		and (profile, route, delivery_id) = (select profile, route, delivery_id from delivery where id = ?1)`;
	const claimedAt = database.prepare(`select at ${ofDelivery}`);
	const dropClaim = database.prepare(`delete ${ofDelivery}`);
	const rejected =
		"from delivery indexed by delivery_rejected where status >= 400 and outcome <> 'delivery'";
	const oldestKept = database.prepare(
		`select id ${rejected} order by id desc limit 1 offset ${maxRejections - 1}`,
	);
	const surplus = database.prepare(
		`select id, octet_length(body) as bytes ${rejected} and id < ? order by id limit ${slice}`,
	);
	const withWorks = database.prepare(
		`select delivery.id, delivery.id as number, received_at, ${belongings}, ${waits} or coalesce(${isNewest}, false) as needed
		from ${works} where delivery.id > ? and delivery.id < (select max(id) from delivery) order by delivery.id limit ${slice}`,
	);
	const ofJobs = database.prepare(
		`select run.id, created_at as received_at, finished_at is null or run.id = (select max(id) from run) as needed
		from job_run join run on run.id = job_run.run where job_run.run > ? order by job_run.run limit ${slice}`,
	);

	/** Visits `rows` until one is too young, and deletes those that no pending group or unfinished run needs. */
	const deleteOld = (
		rows: readonly Row[],
		ageMs: number,
		{after, drop}: {readonly after: number; readonly drop: (row: Row) => void},
	): Slice => {
		let [last, went] = [after, 0];
		for (const row of rows) {
			if (isYounger(row, ageMs, clock.now())) {
				break;
			}

			last = integerOf(row['id']);
			if (integerOf(row['needed']) === 0) {
				drop(row);
				went += 1;
			}
		}

		return {went, last, more: wentThrough(rows, last, slice)};
	};

	/** Drops bodies that are too old, then, oldest first, those above the total size; never those of a pending group or an unfinished run. */
	const bodies: RetentionStep = ({bodyMs, bodyBytes}, after) => {
		let floor = integerOf(floors.get()?.['body_floor']);
		const start = after ?? floor;
		const rows = withBodies.all(start);
		const keep = (row: Row) =>
			isYounger(row, bodyMs, clock.now()) && counters.bodyBytes <= bodyBytes;
		let [last, went] = [start, 0];
		/** Whether no row before `last` has to be visited again. */
		let settled = start === floor;
		for (const row of rows) {
			if (keep(row)) {
				break;
			}

			last = integerOf(row['id']);
			const needed = row['bytes'] !== null && integerOf(row['needed']) === 1;
			if (row['bytes'] !== null && !needed) {
				dropBody.run(last);
				went += 1;
				counters.bodyBytes -= integerOf(row['bytes']);
			}

			settled &&= !needed && !isYounger(row, lateMs, clock.now());
			floor = settled ? last : floor;
		}

		setBodyFloor.run(floor);
		return {went, last, more: wentThrough(rows, last, slice)};
	};

	/** Deletes expired identifiers. */
	const identifiers: RetentionStep = (
		_retention,
		after = integerOf(floors.get()?.['claim_floor']),
	) => {
		const rows = withoutClaims.all(after);
		let [last, went] = [after, 0];
		for (const row of rows) {
			const id = integerOf(row['id']);
			const claim = claimedAt.get(id);
			// The age of a claim does not depend on the wall clock.
			const isHeld = claim && steadyNow() - integerOf(claim['at']) < idempotencyMs;
			if (isYounger(row, idempotencyMs, clock.now()) || isHeld) {
				break;
			}

			went += claim ? Number(dropClaim.run(id).changes) : 0;
			last = id;
		}

		setClaimFloor.run(last);
		return {went, last, more: wentThrough(rows, last, slice)};
	};

	/** Deletes, oldest first, the rejections above their number. */
	const rejections: RetentionStep = () => {
		const oldest = integerOf(oldestKept.get()?.['id']);
		const rows = surplus.all(oldest);
		for (const row of rows) {
			deletion.delivery(row);
		}

		return {went: rows.length, last: oldest, more: rows.length === slice};
	};

	/** Deletes deliveries that are too old and that nothing needs. */
	const oldRows: RetentionStep = ({rowMs}, after = 0) =>
		deleteOld(withWorks.all(after), Math.max(rowMs, idempotencyMs), {
			after,
			drop: row => deletion.delivery(row),
		});

	/** Like `oldRows`, for runs that no delivery started. */
	const oldJobRuns: RetentionStep = ({rowMs}, after = 0) =>
		deleteOld(ofJobs.all(after), rowMs, {
			after,
			drop: row => deletion.run(integerOf(row['id'])),
		});

	return {bodies, identifiers, rejections, oldRows, oldJobRuns};
}

/** Columns of what is deleted together with a delivery, besides `delivery.id`; `deliveryTables` joins the tables. A group and its run are deleted with its latest delivery. */
export const belongings = `octet_length(body) as bytes, case when coalesce_group.latest = delivery.id then coalesce_group.id end as own_group,
	case when delivery.run > 0 then delivery.run when coalesce_group.latest = delivery.id then coalesce_group.run end as own_run`;

/** Deletes rows and what belongs to them, inside a transaction. */
function createRowDeletion(database: DatabaseSync, counters: Counters) {
	const dropDelivery = database.prepare('delete from delivery where id = ?');
	const dropGroup = database.prepare('delete from coalesce_group where id = ?');
	const dropRun = database.prepare('delete from run where id = ?');
	const dropAnswer = database.prepare('delete from answer where run = ?');
	const dropJobRun = database.prepare('delete from job_run where run = ?');
	const dropTranscript = database.prepare('delete from transcript where id >= ? and id < ?');

	/** Deletes a run with its transcript and its answer. */
	const run = (runId: number) => {
		dropTranscript.run(transcriptStart(runId), transcriptEnd(runId));
		dropAnswer.run(runId);
		dropJobRun.run(runId);
		counters.runs -= Number(dropRun.run(runId).changes);
	};

	return {
		run,
		/** Deletes a delivery, and what belongs to it, by a row of `id` and `belongings`. */
		delivery(row: Row) {
			if (integerOf(row['own_run']) > 0) {
				run(integerOf(row['own_run']));
			}

			if (integerOf(row['own_group']) > 0) {
				dropGroup.run(integerOf(row['own_group']));
			}

			counters.deliveries -= Number(dropDelivery.run(integerOf(row['id'])).changes);
			counters.bodyBytes -= integerOf(row['bytes']);
		},
	};
}
