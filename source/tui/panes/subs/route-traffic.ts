import type {RouteView} from '../../../core/config-view.ts';
import type {Delivery} from '../../../core/delivery.ts';
import type {DeliveryRow} from '../../../core/state.ts';

/** What came in for one route within a day, as far as Traffic still lists it. */
export type RouteTraffic = {
	/** Led to something. */
	readonly taken: number;
	/** Answered well, and led to nothing: ignored, a duplicate, a question whether we are there. */
	readonly ignored: number;
	/** Answered with a status of 400 or above. */
	readonly refused: number;
	/** Events in each hour, the last one at the end. */
	readonly hours: readonly number[];
	/** The newest, newest first, at most `maxNewest`. */
	readonly newest: readonly Delivery[];
};

/** The traffic of all routes, by `trafficKey`. */
export type RoutesTraffic = {
	/** What is older is not counted, milliseconds since 1970: a day ago, or the oldest that is listed. */
	readonly since: number;
	readonly byRoute: ReadonlyMap<string, RouteTraffic>;
};

const hourMs = 3_600_000;
const hoursOfDay = 24;
const maxNewest = 5;

const tookIn: ReadonlySet<Delivery['outcome']> = new Set(['accepted', 'coalesced', 'delivered']);

export const trafficKey = ({profile, name}: Pick<RouteView, 'profile' | 'name'>): string =>
	`${profile}/${name}`;

type Tally = {
	taken: number;
	ignored: number;
	refused: number;
	readonly hours: number[];
	readonly newest: Delivery[];
};

/** Counts what `rows` (oldest first) hold of the day before `now`. Rows of several count whole, at the time of their newest. */
export function trafficOf(rows: readonly DeliveryRow[], now: number): RoutesTraffic {
	const dayAgo = now - hoursOfDay * hourMs;
	const byRoute = new Map<string, Tally>();
	for (const {delivery, count} of rows.toReversed()) {
		const {profile, route, receivedAt, outcome, status} = delivery;
		if (receivedAt >= dayAgo) {
			const key = trafficKey({profile, name: route});
			const tally = byRoute.get(key) ?? emptyTally();
			byRoute.set(key, tally);
			tally[status >= 400 ? 'refused' : tookIn.has(outcome) ? 'taken' : 'ignored'] += count;
			const hour = Math.min(hoursOfDay - 1, Math.floor((receivedAt - dayAgo) / hourMs));
			tally.hours[hour] = (tally.hours[hour] ?? 0) + count;
			if (tally.newest.length < maxNewest) {
				tally.newest.push(delivery);
			}
		}
	}

	const oldest = rows[0];
	const since = oldest ? (oldest.firstAt ?? oldest.delivery.receivedAt) : now;
	return {since: Math.max(dayAgo, since), byRoute};
}

const emptyTally = (): Tally => ({
	taken: 0,
	ignored: 0,
	refused: 0,
	hours: Array.from({length: hoursOfDay}, () => 0),
	newest: [],
});

/** Refusals that somebody should look at: a tenth of what came. */
export const isMostlyRefused = ({taken, ignored, refused}: RouteTraffic): boolean =>
	refused * 10 >= taken + ignored + refused;

/** The hours in characters that every terminal draws one cell wide: none, up to half of the busiest hour, more. */
export function hoursText({hours}: RouteTraffic): string {
	const most = Math.max(...hours);
	return hours.map(count => (count === 0 ? '·' : count * 2 <= most ? '░' : '█')).join('');
}
