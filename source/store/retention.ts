import type {DatabaseSync} from 'node:sqlite';
import type {Clock} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';
import {integerOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';
import type {Retention} from './port.ts';
import {transcriptEnd, transcriptStart} from './transcripts.ts';

/** Rows that one transaction looks at, so that requests wait for a few milliseconds at most. */
const slice = 100;
/** Rejections that are kept. Ten a second may come, and the retention is applied every few minutes. */
const mostRejections = 10_000;
/** A delivery reaches the disk at most this much later than its number says. */
const lateMs = 60_000;

/** What one slice did. `last` is the row to go on behind; `more` says that there may be something. */
type Slice = {readonly went: number; readonly last: number; readonly more: boolean};

/** One short transaction of the caller; goes on behind the row `after`, or where the last purge ended. */
export type RetentionStep = (retention: Retention, after?: number) => Slice;

/** The parts of the retention, in their order. */
export type RetentionSteps = {
	/** Drops bodies that are too old, then, oldest first, those above the total. */
	readonly bodies: RetentionStep;
	/** Forgets identifiers that are held no longer. */
	readonly claims: RetentionStep;
	/** Deletes, oldest first, the rejections above their number. */
	readonly rejections: RetentionStep;
	/** Deletes what is too old and not waited for. */
	readonly rows: RetentionStep;
};

/**
 * Rows are visited in the order of their numbers, and the first one that is too young ends the visit; `usage` remembers how far it went. Age is
 * the time of receipt; a time in the future, from a clock that was wrong, stops nothing. The newest delivery and the newest run
 * stay: the next numbers follow from them.
 */
export function createRetentionSteps({
	database,
	clock,
	counters,
}: {
	readonly database: DatabaseSync;
	readonly clock: Clock;
	readonly counters: Counters;
}): RetentionSteps {
	const floors = database.prepare('select body_floor, claim_floor from usage');
	const setBodyFloor = database.prepare('update usage set body_floor = ?');
	const setClaimFloor = database.prepare('update usage set claim_floor = ?');
	const withBodies = database.prepare(
		`select id, received_at, octet_length(body) as bytes from delivery where id > ? order by id limit ${slice}`,
	);
	const dropBodies = database.prepare(
		'update delivery set body = null where id > ? and id <= ? and body is not null',
	);
	const withoutClaims = database.prepare(
		`select id, received_at from delivery where id > ? order by id limit ${slice}`,
	);
	const dropClaim = database.prepare(
		`delete from claim where at <= ?1 and delivery = ?2
			and (profile, route, delivery_id) = (select profile, route, delivery_id from delivery where id = ?2)`,
	);
	const rejected =
		"from delivery indexed by delivery_rejected where status >= 400 and outcome <> 'delivery'";
	const oldestKept = database.prepare(
		`select id ${rejected} order by id desc limit 1 offset ${mostRejections - 1}`,
	);
	const surplus = database.prepare(
		`select id, run, octet_length(body) as bytes ${rejected} and id < ? order by id limit ${slice}`,
	);
	const withRuns = database.prepare(
		`select delivery.id, received_at, octet_length(body) as bytes, delivery.run,
			run.id is not null and (finished_at is null or run.id = (select max(id) from run)) as needed
		from delivery left join run on run.id = delivery.run
		where delivery.id > ? and delivery.id < (select max(id) from delivery) order by delivery.id limit ${slice}`,
	);
	const dropRow = database.prepare('delete from delivery where id = ?');
	const dropRun = database.prepare('delete from run where id = ?');
	const dropAnswer = database.prepare('delete from answer where run = ?');
	const dropTranscript = database.prepare('delete from transcript where id >= ? and id < ?');

	const deleteRow = (row: Row) => {
		const run = integerOf(row['run']);
		dropTranscript.run(transcriptStart(run), transcriptEnd(run));
		dropAnswer.run(run);
		dropRun.run(run);
		dropRow.run(integerOf(row['id']));
		counters.bodyBytes -= integerOf(row['bytes']);
	};

	const isYounger = (row: Row, ageMs: number) => {
		const receivedAt = integerOf(row['received_at']);
		return receivedAt > clock.now() - ageMs && receivedAt <= clock.now();
	};

	return {
		bodies({bodyMs, bodyBytes}, after = integerOf(floors.get()?.['body_floor'])) {
			const rows = withBodies.all(after);
			const keep = (row: Row) => isYounger(row, bodyMs) && counters.bodyBytes <= bodyBytes;
			let [last, floor, went] = [after, after, 0];
			for (const row of rows) {
				if (keep(row)) {
					break;
				}

				went += row['bytes'] === null ? 0 : 1;
				counters.bodyBytes -= integerOf(row['bytes']);
				last = integerOf(row['id']);
				floor = isYounger(row, lateMs) ? floor : last;
			}

			dropBodies.run(after, last);
			setBodyFloor.run(floor);
			return {went, last, more: wentThrough(rows, last)};
		},
		claims(_retention, after = integerOf(floors.get()?.['claim_floor'])) {
			const rows = withoutClaims.all(after);
			let [last, went] = [after, 0];
			for (const row of rows) {
				if (isYounger(row, idempotencyMs)) {
					break;
				}

				last = integerOf(row['id']);
				went += Number(dropClaim.run(clock.now() - idempotencyMs, last).changes);
			}

			setClaimFloor.run(last);
			return {went, last, more: wentThrough(rows, last)};
		},
		rejections() {
			const oldest = integerOf(oldestKept.get()?.['id']);
			const rows = surplus.all(oldest);
			for (const row of rows) {
				deleteRow(row);
			}

			return {went: rows.length, last: oldest, more: rows.length === slice};
		},
		rows({rowMs}, after = 0) {
			const rows = withRuns.all(after);
			let [last, went] = [after, 0];
			for (const row of rows) {
				if (isYounger(row, Math.max(rowMs, idempotencyMs))) {
					break;
				}

				last = integerOf(row['id']);
				if (integerOf(row['needed']) === 0) {
					deleteRow(row);
					went += 1;
				}
			}

			return {went, last, more: wentThrough(rows, last)};
		},
	};
}

const wentThrough = (rows: readonly Row[], last: number): boolean =>
	rows.length === slice && integerOf(rows.at(-1)?.['id']) === last;
