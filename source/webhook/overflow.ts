import {idempotencyMs} from '../core/delivery.ts';
import {renote} from './delivery-draft.ts';
import {duplicateOf, journalEvent, withReason} from './journal-event.ts';
import type {Commission, EventJournal} from './journal-event.ts';
import {routeKeyOf} from './rate-step.ts';
import {duplicateKeyOf} from './ready-event.ts';
import type {NamedEvent} from './ready-event.ts';
import type {ReceiverServices} from './receiver-services.ts';
import type {Reply} from './replies.ts';

/**
 * Hands an event above the rate limit of its route to the journal (`overflow: queue`): its run gets the next start that the route's pace allows. An event that
 * waits in a group needs none. Rejects as `journalEvent` does.
 *
 * @see manual/receiver.md#above-the-rate
 */
export async function journalOverflow(
	named: NamedEvent,
	commission: Commission,
	dependencies: EventJournal & Pick<ReceiverServices, 'limits'>,
): Promise<Reply> {
	const {intake, clock, limits} = dependencies;
	const {draft, route} = named;
	const above = `more than ${route.rateLimit} in this minute`;
	if (commission.work.group) {
		renote(draft, 'rate', `${above}: waits in its group`);
		return journalEvent(named, commission, dependencies);
	}

	// A sender that repeats itself must not push others back.
	const holder = await intake.holderOf(duplicateKeyOf(named), idempotencyMs);
	if (holder !== undefined) {
		return duplicateOf(named, holder);
	}

	const start = await limits.paces.promise(routeKeyOf(route), route.rateLimit);
	// Never before its place: the parts of a millisecond that a wall clock does not show would add up.
	const dueAt = Math.ceil(clock.now() + start.inMs);
	renote(draft, 'rate', `${above}: its run waits`);
	let reply: Reply | undefined;
	try {
		const work = {...commission.work, dueAt};
		const until = `queued until ${new Date(dueAt).toISOString()}`;
		const because = withReason(commission.because, until);
		reply = await journalEvent(named, {...commission, work, because}, dependencies);
		return reply;
	} finally {
		if (reply?.outcome === 'accepted') {
			await start.keep();
		} else {
			await start.giveBack();
		}
	}
}
