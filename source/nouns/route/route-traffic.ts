import type {RouteView} from '../../core/config-view.ts';
import type {Delivery} from '../../core/delivery.ts';
import {numberOfId} from '../../core/ids.ts';
import {hourMs, hoursOfDay, takenOutcomes, type RouteCounts} from '../../core/route-counts.ts';
import type {DeliveryRow} from '../../core/state.ts';

/** What came in for one route within a day. */
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
	/** What is older is not counted, milliseconds since 1970: a day ago, or from where on was looked at. */
	readonly since: number;
	readonly byRoute: ReadonlyMap<string, RouteTraffic>;
};

const maxNewest = 5;

const tookIn: ReadonlySet<Delivery['outcome']> = new Set(takenOutcomes);

export const trafficKey = ({profile, name}: Pick<RouteView, 'profile' | 'name'>): string =>
	`${profile}/${name}`;

type Tally = {
	taken: number;
	ignored: number;
	refused: number;
	readonly hours: number[];
	readonly newest: Delivery[];
};

/**
 * The traffic of the day before `now`: what the journal had when it was counted, and what of `rows` (oldest first) came later; all of them while nobody has counted. Rows of
 * several count whole, at the time of their newest.
 */
export function trafficOf(
	rows: readonly DeliveryRow[],
	{now, counts}: {readonly now: number; readonly counts: RouteCounts | undefined},
): RoutesTraffic {
	const dayAgo = now - hoursOfDay * hourMs;
	const byRoute = new Map<string, Tally>(
		counts?.routes.map(({profile, route, hours, ...sums}) => [
			trafficKey({profile, name: route}),
			{...sums, hours: [...hours], newest: []},
		]),
	);
	const counted = numberOfId(counts?.newest ?? '0');
	for (const {key: id, delivery, count} of rows.toReversed()) {
		const {profile, route, receivedAt, outcome, status, idSource} = delivery;
		if (receivedAt >= dayAgo) {
			const key = trafficKey({profile, name: route});
			const tally = byRoute.get(key) ?? emptyTally();
			byRoute.set(key, tally);
			if (numberOfId(id) > counted && idSource !== 'import') {
				tally[status >= 400 ? 'refused' : tookIn.has(outcome) ? 'taken' : 'ignored'] += count;
				const hour = Math.min(hoursOfDay - 1, Math.floor((receivedAt - dayAgo) / hourMs));
				tally.hours[hour] = (tally.hours[hour] ?? 0) + count;
			}

			if (tally.newest.length < maxNewest) {
				tally.newest.push(delivery);
			}
		}
	}

	const oldest = rows[0];
	const since = counts?.since ?? (oldest ? (oldest.firstAt ?? oldest.delivery.receivedAt) : now);
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

/** The day in `cells` parts, the last one at the end; `cells` divides 24. */
export const dayParts = ({hours}: RouteTraffic, cells: number): readonly number[] =>
	Array.from({length: cells}, (_, part) =>
		hours
			.slice((part * hoursOfDay) / cells, ((part + 1) * hoursOfDay) / cells)
			.reduce((sum, count) => sum + count, 0),
	);
