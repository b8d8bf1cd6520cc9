import {createHash} from 'node:crypto';
import {idempotencyMs} from '../core/delivery.ts';
import type {DeliveryOutcome} from '../core/delivery.ts';
import {stop} from './delivery-draft.ts';
import {duplicateKeyOf, namesOf} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import type {ReceiverServices} from './receiver-services.ts';
import {duplicateReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';

/**
 * `dedupe_body: true`: handles an event unless a byte-identical body was handled within the hour. The store says whether the earlier
 * one still counts, so a body whose run failed is accepted again. Identical bodies wait for each other. A replay is meant: it is never a duplicate. An identifier that is signed
 * decides alone. Rejects as `handle` does.
 *
 * @see manual/receiver.md#bodies
 */
export async function dedupeBody(
	ready: ReadyEvent,
	{intake, mutex, bodies}: Pick<ReceiverServices, 'bodies' | 'intake' | 'mutex'>,
	handle: () => Promise<Reply>,
): Promise<Reply> {
	const {draft, compiled} = ready;
	if (draft.replayOf !== undefined || draft.hasSignedId || draft.body === undefined) {
		return handle();
	}

	const key = bodyKey(compiled.id, draft.body);
	const reply = await mutex.runExclusive(`body ${key}`, async () => {
		const deliveryId = bodies.recall(key);
		const holder =
			deliveryId === undefined
				? undefined
				: await intake.holderOf({...duplicateKeyOf(ready), deliveryId}, idempotencyMs);
		if (holder !== undefined) {
			return stop(draft, duplicateReply(namesOf(ready)), {
				step: 'duplicate',
				detail: `same body as delivery ${holder}`,
			});
		}

		const handled = await handle();
		if (leadsOn.has(handled.outcome)) {
			bodies.remember(key, draft.deliveryId);
		}

		return handled;
	});

	return (
		reply ??
		stop(draft, refusals.busy, {
			step: 'duplicate',
			detail: 'too many requests with the same body wait',
		})
	);
}

/** What the event led to is worth remembering its body for. */
const leadsOn: ReadonlySet<DeliveryOutcome> = new Set(['accepted', 'coalesced', 'delivered']);

/** The key of a body: its route and its SHA-256. */
const bodyKey = (route: string, body: Buffer): string =>
	`${route} ${createHash('sha256').update(body).digest('base64')}`;
