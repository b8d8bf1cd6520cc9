import type {RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import type {DeliveryRow} from './state.ts';

/** How long a route is said to lose events after one was turned away: an hour. @see manual/receiver.md#above-the-rate */
export const lossMemoryMs = 3_600_000;

/** A route that turned events away because of its rate, or because too many runs waited, within the hour. */
export type LossyRoute = {
	readonly route: string;
	readonly profile: string;
	/** How many, and when the last of them, milliseconds since 1970. */
	readonly count: number;
	readonly lastAt: number;
	/** What they came above, the rest of a sentence, and what they were answered. */
	readonly why: string;
	readonly status: number;
	/** What the person can change. */
	readonly remedy: string;
};

type Cause = 'rate' | 'queue';

/** Why an event was turned away for good: code hosts send none of these again. Other events of a full queue are duplicates at work, or wait for a script. */
const causeOf = ({outcome, trace}: Delivery): Cause | undefined =>
	outcome === 'rate' || (outcome === 'queue' && trace.at(-1)?.step === 'dispatch')
		? outcome
		: undefined;

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
	for (const row of deliveries) {
		// A row that is broken takes the pane that lists it, not what stands above all panes.
		const {delivery, count} = (row as DeliveryRow | null) ?? {count: 0};
		const cause = delivery && causeOf(delivery);
		if (cause && now - delivery.receivedAt < lossMemoryMs) {
			const name = nameOf(delivery.profile, delivery.route, cause);
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
					const [rate, queue] = (['rate', 'queue'] as const).map(cause =>
						losses.get(nameOf(profile, name, cause)),
					);
					const route = {route: name, profile};
					return [
						...(rate && overflow !== 'queue'
							? [{...route, ...rate, ...aboveRate, remedy: remedyOf(view)}]
							: []),
						...(queue ? [{...route, ...queue, ...aboveQueue}] : []),
					];
				})
				.toSorted((a, b) => b.lastAt - a.lastAt);
}

const aboveRate = {why: 'above its rate_limit', status: 429} as const;

const aboveQueue = {
	why: 'as too many runs wait',
	status: 503,
	remedy: 'a higher runs.concurrency works them off',
} as const;

/** The one key that changes it; a message without a run cannot wait. */
export const remedyOf = ({mode}: Pick<RouteView, 'mode'>): string =>
	mode === 'deliver_only' ? 'a higher rate_limit lets them in' : 'overflow: queue keeps them';

/** A profile's name holds no slash. */
const nameOf = (profile: string, route: string, cause: Cause): string =>
	`${cause}/${profile}/${route}`;
