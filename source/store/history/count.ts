import type {StatementSync} from 'node:sqlite';
import {systemClock} from '../../core/clock.ts';
import {lateMs, numberOfTime} from '../../core/ids.ts';
import {takenOutcomes} from '../../core/route-counts.ts';
import {floorOfRow, integerOf, textOf, type Row} from '../columns.ts';
import type {CountQuestion, CountStep, PartCount} from './port.ts';

/** How long one step counts, milliseconds; a read transaction is never open for longer than a stretch. */
const stepMs = 60;

/** Rows of a stretch. One with its payload may be a page of its own, of which only the beginning is read. */
const stretchRows = 4000;

const edgeSql =
	'select min(id) as floor, max(id) as top from (select id from delivery where id < ? and id >= ? order by id desc limit ?)';

/** What came to no route has the name that a stranger gave it: those are one. */
const countSql = `select iif(outcome = 'route', '', profile) as profile, iif(outcome = 'route', '', route) as route,
	cast((received_at - ?) / ? as integer) as part, count(*) as received,
	sum(status >= 400) as refused,
	sum(status < 400 and outcome in (${takenOutcomes.map(outcome => `'${outcome}'`).join(', ')})) as taken
	from delivery where id >= ? and id <= ? and received_at >= ? and id_source <> 'import' group by 1, 2, 3`;

/** One step of counting, the newest first: stretch by stretch until the time is over or nothing is left. */
export function countOnce(
	prepare: (sql: string) => StatementSync,
	{from, partMs, before = Number.MAX_SAFE_INTEGER}: CountQuestion,
): CountStep {
	const endsAt = systemClock.monotonic() + stepMs;
	// By when it was made, of which a delivery may fall short.
	const least = numberOfTime(from - lateMs);
	const edges = prepare(edgeSql);
	const stretch = prepare(countSql);
	const counts: PartCount[] = [];
	let newest: number | undefined;
	let at = before;
	for (;;) {
		const edge: Row | undefined = edges.get(at, least, stretchRows);
		const floor = floorOfRow(edge);
		if (floor === undefined) {
			return {counts, ...(newest !== undefined && {newest})};
		}

		newest ??= integerOf(edge?.['top']);
		for (const row of stretch.iterate(from, partMs, floor, at - 1, from)) {
			counts.push({
				profile: textOf(row['profile']),
				route: textOf(row['route']),
				part: integerOf(row['part']),
				received: integerOf(row['received']),
				taken: integerOf(row['taken']),
				refused: integerOf(row['refused']),
			});
		}

		at = floor;
		if (systemClock.monotonic() > endsAt) {
			return {counts, newest, searchedTo: at};
		}
	}
}
