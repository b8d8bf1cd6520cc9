import type {RouteView} from '../../core/config-view.ts';
import type {Delivery} from '../../core/delivery.ts';
import {numberOfId} from '../../core/ids.ts';
import {hourMs, hoursOfDay, takenOutcomes, type RouteCounts} from '../../core/route-counts.ts';
import type {DeliveryRow} from '../../core/state.ts';

/** The deliveries of a route within 24 hours. */
export type RouteTraffic = {
	/** Accepted, coalesced or delivered: `takenOutcomes`. */
	readonly taken: number;
	/** Answered below 400 but not taken: filtered out, duplicates, challenges of the sender. */
	readonly ignored: number;
	/** Answered with a status of 400 or above. */
	readonly refused: number;
	/** Deliveries per hour, the current hour last. */
	readonly hours: readonly number[];
	/** The newest deliveries, newest first, at most 5. */
	readonly newest: readonly Delivery[];
};

/** The traffic of all routes, by `trafficKey`. */
export type RoutesTraffic = {
	/** The start of counting, in milliseconds since 1970: 24 hours ago, or later if the journal or the rows begin later. */
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
 * The traffic of the 24 hours before `now`: `counts` from the journal, plus `rows` (oldest first) newer than the newest delivery in `counts`. Absent `counts`: all
 * rows are counted. A row for several deliveries counts all of them in the hour of the newest.
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

/** Whether at least a tenth of the deliveries were refused, so that a person should look at the route. */
export const isMostlyRefused = ({taken, ignored, refused}: RouteTraffic): boolean =>
	refused * 10 >= taken + ignored + refused;

/** Deliveries in `cells` equal parts of the 24 hours, the newest last; `cells` must divide 24. */
export const dayParts = ({hours}: RouteTraffic, cells: number): readonly number[] =>
	Array.from({length: cells}, (_, part) =>
		hours
			.slice((part * hoursOfDay) / cells, ((part + 1) * hoursOfDay) / cells)
			.reduce((sum, count) => sum + count, 0),
	);
