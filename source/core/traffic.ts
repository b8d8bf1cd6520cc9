import type {RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import {derive} from './derive.ts';
import type {GatewayEvent} from './events.ts';
import type {DeliveryRow} from './state.ts';

/** What was answered in one minute. */
export type TrafficMinute = {
	/** Minutes since 1970. */
	readonly minute: number;
	readonly received: number;
	/** Answered with a status of 400 or above. */
	readonly refused: number;
};

const minuteMs = 60_000;

/** Minutes that are kept, counted back from the newest; those without a request have no entry. */
export const trafficMinutes = 60;

/** The deliveries that events bring: those of before the start, and new ones. */
export const deliveriesOf = (events: readonly GatewayEvent[]) => ({
	restored: events.flatMap(event => (event.type === 'history-restored' ? event.deliveries : [])),
	received: events.flatMap(event => (event.type === 'delivery-received' ? [event.delivery] : [])),
});

/** The requests of the last hour after `events`, oldest minute first; the same array when none of them is a request or counts some. What another gateway answered is not counted. */
export function trafficAfter(
	traffic: readonly TrafficMinute[] | undefined,
	events: readonly GatewayEvent[],
): readonly TrafficMinute[] | undefined {
	const {restored, received: fresh} = deliveriesOf(events);
	const received = [...restored, ...fresh].filter(({idSource}) => idSource !== 'import');
	const counted = events.flatMap(event => (event.type === 'traffic-counted' ? event.minutes : []));
	if (received.length === 0 && counted.length === 0) {
		return traffic;
	}

	const byMinute = new Map((traffic ?? []).map(entry => [entry.minute, entry]));
	for (const {receivedAt, status} of received) {
		const minute = Math.floor(receivedAt / minuteMs);
		const before = byMinute.get(minute) ?? {minute, received: 0, refused: 0};
		byMinute.set(minute, {
			minute,
			received: before.received + 1,
			refused: before.refused + (status >= 400 ? 1 : 0),
		});
	}

	// What was told of meanwhile may be in the journal or not: of each minute the greater count is the one that has both.
	for (const entry of counted) {
		const before = byMinute.get(entry.minute);
		byMinute.set(entry.minute, before && before.received >= entry.received ? before : entry);
	}

	const newest = Math.max(...byMinute.keys());
	return [...byMinute.values()]
		.filter(({minute}) => minute > newest - trafficMinutes)
		.toSorted((one, other) => one.minute - other.minute);
}

/** Requests of the hour before `now` in `parts` parts of the same length, the last one at the end. */
export function trafficParts(
	traffic: readonly TrafficMinute[] | undefined,
	{now, parts}: {readonly now: number; readonly parts: number},
): readonly number[] {
	const counts = Array.from({length: parts}, () => 0);
	const first = Math.floor(now / minuteMs) - trafficMinutes + 1;
	for (const {minute, received} of traffic ?? []) {
		const part = Math.floor(((minute - first) * parts) / trafficMinutes);
		if (part >= 0 && part < parts) {
			counts[part] = (counts[part] ?? 0) + received;
		}
	}

	return counts;
}

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
	for (const {cause, delivery, count} of lostRows(deliveries)) {
		if (now - delivery.receivedAt < lossMemoryMs) {
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

/** Of thousands of rows mostly none: several parts of each frame ask. */
const lostRows = derive((rows: readonly DeliveryRow[]) =>
	rows.flatMap(row => {
		// A row that is broken takes the pane that lists it, not what stands above all panes.
		const {delivery, count} = (row as DeliveryRow | null) ?? {count: 0};
		const cause = delivery && causeOf(delivery);
		return cause ? [{cause, delivery, count}] : [];
	}),
);

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
