import {integerOf, type Row} from '../columns.ts';
import {nameOfRoute, routeOf} from '../counters.ts';
import {windowMs} from '../limits/paces.ts';
import type {RateVerdict, RateWindows} from '../limits/port.ts';
import {verdictOf} from '../limits/rate-windows.ts';
import type {RouteKey} from '../port.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {Database} from './database.ts';

type Take = RouteKey & {readonly limit: number};

/** SQL condition: a window is over. It lasts a minute; one that begins far ahead was begun before the clock was set back. */
const isOver = (at: string) =>
	`(rate_window.starts_at <= ${at} - ${windowMs} or rate_window.starts_at > ${at} + ${windowMs})`;

const rateUseOfRow = (row: Row, now: number) => ({
	used: integerOf(row['used']),
	endsInMs: Math.min(windowMs, integerOf(row['starts_at']) + windowMs - now),
});

/**
 * `RateWindows` in a table that a crash of the database empties. Concurrent calls share one upsert, which locks the row of a route, so that a window is counted once across
 * all members. It returns how many of the requests pass: the first ones.
 */
export function createRateWindows(database: Database): RateWindows {
	const takeAll = async (takes: readonly Take[]): Promise<readonly RateVerdict[]> => {
		// After a change of the limit, the last requested one applies to all.
		const routes = new Map<string, Take & {wanted: number}>();
		for (const take of takes) {
			const name = nameOfRoute(take);
			routes.set(name, {...take, wanted: (routes.get(name)?.wanted ?? 0) + 1});
		}

		const asked = [...routes.values()];
		const {now, rows} = await database.transact(async transaction => {
			// None of it needs to be durable, so the commit does not wait for the disk.
			await transaction.run('set local synchronous_commit = off');
			return {
				now: transaction.now,
				rows: await transaction.query(
					`insert into rate_window (profile, route, starts_at, used, most, took)
					select profile, route, $1, least(wanted, most), most, least(wanted, most) from unnest($2::text[], $3::text[], $4::integer[], $5::integer[]) as take (profile, route, wanted, most)
					order by profile, route
					on conflict (profile, route) do update set
						starts_at = case when ${isOver('$1')} then $1 else rate_window.starts_at end,
						used = case when ${isOver('$1')} then excluded.used else rate_window.used + greatest(0, least(excluded.took, excluded.most - rate_window.used)) end,
						most = excluded.most,
						took = case when ${isOver('$1')} then excluded.took else greatest(0, least(excluded.took, excluded.most - rate_window.used)) end
					returning profile, route, starts_at, used, took`,
					[transaction.now, ...columnsOf(asked, 'profile', 'route', 'wanted', 'limit')],
				),
			};
		});
		const left = new Map(
			rows.map(row => {
				const use = rateUseOfRow(row, now);
				return [nameOfRoute(routeOf(row)), {...use, next: use.used - integerOf(row['took'])}];
			}),
		);
		return takes.map(take => {
			const window = left.get(nameOfRoute(take)) ?? {used: 0, next: 0, endsInMs: windowMs};
			const ok = window.next < window.used;
			window.next += ok ? 1 : 0;
			return verdictOf(ok, ok ? window.next : window.used, window.endsInMs);
		});
	};

	const take = createBatch(takeAll, {most: 1024, name: database.name});
	return {
		take: async ({profile, route}, limit) => take({profile, route, limit}),
		async used({profile, route}) {
			const now = database.now();
			const [row] = await database.query(
				`select starts_at, used from rate_window where profile = $1 and route = $2 and not ${isOver('$3::bigint')}`,
				[profile, route, now],
			);
			return row ? rateUseOfRow(row, now) : {used: 0, endsInMs: 0};
		},
	};
}
