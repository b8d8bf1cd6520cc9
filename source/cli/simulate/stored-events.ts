import type {Route} from '../../config/route.ts';
import type {DeliveryOutcome, StoredDelivery} from '../../core/delivery.ts';
import type {Records} from '../gateway-access.ts';

/** Deliveries whose sender was known, and which were not the fault of a moment. */
const decided: readonly DeliveryOutcome[] = [
	'accepted',
	'coalesced',
	'delivered',
	'ignored:event',
	'ignored:filter',
	'ignored:script',
	'duplicate',
	'delivery',
	'job',
	'queue',
];

/** Bodies that are held at once: a simulation is no reason to fill the memory. */
const maxBytes = 256 * 1024 * 1024;

/** The newest stored events that a sender sent to a route (no replays), oldest first, and how many were left out: those whose body is not kept any more, and what would be more than 256 MiB. */
export async function storedEvents(
	{deliveries}: Pick<Records, 'deliveries'>,
	{route, last}: {readonly route: Route; readonly last: number},
): Promise<{readonly events: readonly StoredDelivery[]; readonly leftOut: number}> {
	const listed = await deliveries.list({route: route.name, outcomes: decided, limit: last});
	const own = listed.filter(
		({profile, replayOf}) => profile === route.profile && replayOf === undefined,
	);
	const events: StoredDelivery[] = [];
	let bytes = 0;
	for (const {id, bodyBytes} of own) {
		bytes += bodyBytes;
		if (bytes > maxBytes) {
			break;
		}

		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await deliveries.get(id);
		if (stored?.body) {
			events.push(stored);
		}
	}

	return {
		// Of two events of one millisecond, the one that is listed later came first.
		events: events.toReversed().toSorted((a, b) => a.receivedAt - b.receivedAt),
		leftOut: own.length - events.length,
	};
}
