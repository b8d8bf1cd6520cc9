import {lateMs, numberOfTime} from '../../core/ids.ts';
import {takenOutcomes} from '../../core/route-counts.ts';
import {integerOf, textOf} from '../columns.ts';
import type {CountQuestion, CountStep, PartCount} from './port.ts';
import type {UnderWay} from './under-way.ts';

/** Rows of a stretch. A row with its payload may fill a page, of which only the beginning is read. */
const stretchRows = 4000;

/** Requests to no route are counted together: strangers choose their names. Deliveries that are not counted have no part. */
const countSql = `select case when outcome = 'route' then '' else profile end as profile, case when outcome = 'route' then '' else route end as route,
	case when received_at >= cast(? as bigint) and id_source <> 'import' then (received_at - cast(? as bigint)) / cast(? as bigint) end as part,
	count(*) as received, count(*) filter (where status >= 400) as refused,
	count(*) filter (where status < 400 and outcome in (${takenOutcomes.map(outcome => `'${outcome}'`).join(', ')})) as taken,
	min(id) as floor, max(id) as top
	from (
		select id, profile, route, received_at, id_source, status, outcome from delivery where id < ? and id >= cast(? as bigint) order by id desc limit ${stretchRows}
	) as stretch group by 1, 2, 3`;

/** Counts deliveries, newest first, until none are left. */
export function createCounts({
	from,
	partMs,
	before = Number.MAX_SAFE_INTEGER,
}: CountQuestion): UnderWay<CountStep, CountStep> {
	const counts: PartCount[] = [];
	// Identifiers carry their creation time; receipt may be up to `lateMs` later.
	const least = Math.trunc(numberOfTime(from - lateMs));
	let newest: number | undefined;
	let at = before;
	const soFar = () => ({counts, ...(newest !== undefined && {newest})});
	return {
		sql: countSql,
		bindings: () => [from, from, partMs, at, least],
		take(rows) {
			let [floor, top] = [Infinity, -Infinity];
			for (const row of rows) {
				floor = Math.min(floor, integerOf(row['floor']));
				top = Math.max(top, integerOf(row['top']));
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

			if (floor === Infinity) {
				return soFar();
			}

			newest ??= top;
			at = floor;
			return undefined;
		},
		pause: () => ({...soFar(), searchedTo: at}),
	};
}
