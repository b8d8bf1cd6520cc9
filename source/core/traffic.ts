import type {RouteView} from './config-view.ts';
import type {Delivery} from './delivery.ts';
import {derive} from './derive.ts';
import type {EventOf, GatewayEvent} from './events.ts';
import type {DeliveryRow} from './state.ts';

/** The requests of one minute. */
export type TrafficMinute = {
	/** Minutes since 1970. */
	readonly minute: number;
	readonly received: number;
	/** Answered with a status of 400 or above. */
	readonly refused: number;
};

const minuteMs = 60_000;

/** Number of minutes that are kept, up to the newest; minutes without a request have no entry. */
export const trafficMinutes = 60;

/** The deliveries in events. `restored`: from before the start; `received`: new ones. */
export const deliveriesOf = (events: readonly GatewayEvent[]) => ({
	restored: events.flatMap(event => (event.type === 'history-restored' ? event.deliveries : [])),
	received: events.flatMap(event => (event.type === 'delivery-received' ? [event.delivery] : [])),
});

/** The requests of the last hour after `events`, oldest minute first; the same array when no event concerns requests. Requests to other gateways do not count. */
export function trafficAfter(
	traffic: readonly TrafficMinute[] | undefined,
	events: ReadonlyArray<EventOf<'history-restored' | 'delivery-received' | 'traffic-counted'>>,
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

	// The journal may or may not include requests since the start: take the greater count of each minute.
	for (const entry of counted) {
		const before = byMinute.get(entry.minute);
		byMinute.set(entry.minute, before && before.received >= entry.received ? before : entry);
	}

	const newest = Math.max(...byMinute.keys());
	return [...byMinute.values()]
		.filter(({minute}) => minute > newest - trafficMinutes)
		.toSorted((one, other) => one.minute - other.minute);
}

/** Numbers of requests in the hour before `now`, which is divided into `parts` equal parts, the latest last. */
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

/** Time after a refusal during which a route counts as losing events: an hour. @see manual/receiver.md#above-the-rate */
export const lossMemoryMs = 3_600_000;

/** A route that refused events within the last hour because of its rate limit or too many waiting runs. */
export type LossyRoute = {
	readonly route: string;
	readonly profile: string;
	/** Number of refused events, and time of the last one, milliseconds since 1970. */
	readonly count: number;
	readonly lastAt: number;
	/** `why`: the reason, as the rest of a sentence. `status`: the HTTP status of the refusals. */
	readonly why: string;
	readonly status: number;
	/** What the operator can do. */
	readonly remedy: string;
};

type Cause = 'rate' | 'queue';

/** Why an event was lost (code hosts do not send refused events again). A `queue` refusal by another step than `dispatch` concerns a duplicate being handled, or scripts. */
const causeOf = ({outcome, trace}: Delivery): Cause | undefined =>
	outcome === 'rate' || (outcome === 'queue' && trace.at(-1)?.step === 'dispatch')
		? outcome
		: undefined;

/**
 * The routes that refused events within the hour before `now` and would do so with their present settings; the newest loss first. Counts only the kept rows. Pure.
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

/** The rows with lost events, usually none of thousands. Memoised, since several parts of each frame need them. */
const lostRows = derive((rows: readonly DeliveryRow[]) =>
	rows.flatMap(row => {
		// Tolerates a broken row: it may break the pane that lists it, but not the header above all panes.
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

/** What helps against refusals above the rate limit. Events of a `deliver_only` route start no runs and cannot be queued. */
export const remedyOf = ({mode}: Pick<RouteView, 'mode'>): string =>
	mode === 'deliver_only' ? 'a higher rate_limit lets them in' : 'overflow: queue keeps them';

/** A unique key: the name of a profile contains no slash. */
const nameOf = (profile: string, route: string, cause: Cause): string =>
	`${cause}/${profile}/${route}`;
