import type {Route} from '../../config/route.ts';
import {decidedOutcomes, type Delivery, type StoredDelivery} from '../../core/delivery.ts';
import type {Journal} from '../../store/port.ts';

/** Bodies that are held at once: a simulation is no reason to fill the memory. */
const maxBytes = 256 * 1024 * 1024;

/** The newest stored events that a sender sent to a route (no replays), oldest first, and how many were left out: those whose body is not kept any more, and what would be more than 256 MiB. */
export async function storedEvents(
	journal: Pick<Journal, 'get' | 'list'>,
	{route, last}: {readonly route: Pick<Route, 'name' | 'profile'>; readonly last: number},
): Promise<{readonly events: readonly StoredDelivery[]; readonly leftOut: number}> {
	const own = await listStored(journal, {route, last});
	const events: StoredDelivery[] = [];
	let bytes = 0;
	for (const {id, bodyBytes} of own) {
		bytes += bodyBytes;
		if (bytes > maxBytes) {
			break;
		}

		// oxlint-disable-next-line no-await-in-loop -- bodies are large: one at a time
		const stored = await journal.get(id);
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

/** The newest deliveries that a sender sent to a route (no replays), newest first, without their bodies. */
export async function listStored(
	journal: Pick<Journal, 'list'>,
	{route, last}: {readonly route: Pick<Route, 'name' | 'profile'>; readonly last: number},
): Promise<readonly Delivery[]> {
	const {name, profile} = route;
	const listed = await journal.list({route: name, profile, outcomes: decidedOutcomes, limit: last});
	return listed.filter(({replayOf}) => replayOf === undefined);
}
