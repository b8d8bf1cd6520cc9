import type {RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import type {DeliveryRow} from './state.ts';

/** How long a route is said to lose events after one was turned away: an hour. @see manual/receiver.md#above-the-rate */
export const lossMemoryMs = 3_600_000;

/** A route that turned events away because of its rate, within the hour. */
export type LossyRoute = {
	readonly route: string;
	readonly profile: string;
	/** How many, and when the last of them, milliseconds since 1970. */
	readonly count: number;
	readonly lastAt: number;
	/** What the person can change. */
	readonly remedy: string;
};

const outcome: Delivery['outcome'] = 'rate';

/**
 * The routes that turned events away within the hour before `now` and, as they are now, still would, the newest loss first. Bounded by the rows that are kept. Pure.
 */
export function lossyRoutes(
	{
		deliveries,
		routes,
	}: {readonly deliveries: readonly DeliveryRow[]; readonly routes: readonly RouteView[]},
	now: number,
): readonly LossyRoute[] {
	const losses = new Map<string, {readonly count: number; readonly lastAt: number}>();
	// A row that is broken takes the pane that lists it, not what stands above all panes.
	const lost = deliveries.filter((row: DeliveryRow | null) => row?.delivery.outcome === outcome);
	for (const {delivery, count} of lost) {
		if (now - delivery.receivedAt < lossMemoryMs) {
			const name = nameOf(delivery.profile, delivery.route);
			const before = losses.get(name) ?? {count: 0, lastAt: 0};
			losses.set(name, {
				count: before.count + count,
				lastAt: Math.max(before.lastAt, delivery.receivedAt),
			});
		}
	}

	return losses.size === 0
		? []
		: routes
				.flatMap(view => {
					const {name, profile, overflow} = view;
					const loss = losses.get(nameOf(profile, name));
					return !loss || overflow === 'queue'
						? []
						: [{route: name, profile, ...loss, remedy: remedyOf(view)}];
				})
				.toSorted((a, b) => b.lastAt - a.lastAt);
}

/** The one key that changes it; a message without a run cannot wait. */
export const remedyOf = ({mode}: Pick<RouteView, 'mode'>): string =>
	mode === 'deliver_only' ? 'a higher rate_limit lets them in' : 'overflow: queue keeps them';

/** A profile's name holds no slash. */
const nameOf = (profile: string, route: string): string => `${profile}/${route}`;
