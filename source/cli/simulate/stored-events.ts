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

/** The newest stored events of a route that still have their body, oldest first, and how many had none any more. */
export async function storedEvents(
	{deliveries}: Pick<Records, 'deliveries'>,
	{route, last}: {readonly route: Route; readonly last: number},
): Promise<{readonly events: readonly StoredDelivery[]; readonly bodiless: number}> {
	const listed = await deliveries.list({route: route.name, outcomes: decided, limit: last});
	const own = listed.filter(({profile}) => profile === route.profile);
	const events: StoredDelivery[] = [];
	for (const {id} of own) {
		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await deliveries.get(id);
		if (stored?.body) {
			events.push(stored);
		}
	}

	return {
		events: events.toSorted((a, b) => a.receivedAt - b.receivedAt),
		bodiless: own.length - events.length,
	};
}
