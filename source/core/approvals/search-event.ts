import {setImmediate as turn} from 'node:timers/promises';
import type {Approval} from '../approval.ts';
import type {StoredDelivery} from '../delivery.ts';
import {receivedBody} from '../filter/payload-terms.ts';
import {findFromEvent, type FromEvent} from './from-event.ts';

/** Which arguments of a call hold what its event says; nothing where there is no event, or its body was not kept or is no JSON. Others get their turn in between. */
export async function searchEvent(
	approval: Approval,
	getDelivery: (id: string) => Promise<StoredDelivery | undefined>,
): Promise<readonly FromEvent[]> {
	const {delivery} = approval;
	const stored =
		approval.kind === 'tool' && delivery !== undefined ? await getDelivery(delivery) : undefined;
	const payload = stored && receivedBody(stored)?.payload();
	if (approval.kind !== 'tool' || payload === undefined) {
		return [];
	}

	const search = findFromEvent(approval.args, payload);
	let step = search.next();
	while (step.done !== true) {
		// oxlint-disable-next-line no-await-in-loop -- steps, so that a large payload holds nobody up
		await turn();
		step = search.next();
	}

	return step.value;
}
