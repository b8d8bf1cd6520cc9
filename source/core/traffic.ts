import type {Delivery} from './delivery.ts';
import type {GatewayEvent} from './events.ts';

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

const receivedBy = (event: GatewayEvent): readonly Delivery[] => {
	if (event.type === 'history-restored') {
		return event.deliveries;
	}

	return event.type === 'delivery-received' ? [event.delivery] : [];
};

/** The requests of the last hour after `events`, oldest minute first; the same array when none of them is a request or counts some. What another gateway answered is not counted. */
export function trafficAfter(
	traffic: readonly TrafficMinute[] | undefined,
	events: readonly GatewayEvent[],
): readonly TrafficMinute[] | undefined {
	const received = events.flatMap(receivedBy).filter(({idSource}) => idSource !== 'import');
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
