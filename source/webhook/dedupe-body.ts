import {createHash} from 'node:crypto';
import {idempotencyMs} from '../core/delivery.ts';
import type {DeliveryOutcome} from '../core/delivery.ts';
import type {Intake} from '../store/port.ts';
import type {HourMemory} from './hour-memory.ts';
import {keyOf, namesOf} from './ready-event.ts';
import type {ReadyEvent} from './ready-event.ts';
import {duplicateReply, refusals} from './replies.ts';
import type {Reply} from './replies.ts';
import type {Turns} from './turns.ts';
import {stop} from './visit.ts';

/**
 * `dedupe_body: true`: handles an event unless a byte-identical body was handled within the hour. The store says whether the earlier
 * one still counts, so a body whose run failed is accepted again. Identical bodies wait for each other. A replay is meant: it is never a duplicate. An identifier that is signed
 * decides alone. Rejects as `handle` does.
 *
 * @see manual/receiver.md#bodies
 */
export async function dedupeBody(
	ready: ReadyEvent,
	{
		intake,
		turns,
		bodies,
	}: {readonly intake: Intake; readonly turns: Turns; readonly bodies: HourMemory},
	handle: () => Promise<Reply>,
): Promise<Reply> {
	const {visit, compiled} = ready;
	if (visit.replayOf !== undefined || visit.hasSignedId || visit.body === undefined) {
		return handle();
	}

	const key = bodyKey(compiled.id, visit.body);
	const reply = await turns.take(`body ${key}`, async () => {
		const deliveryId = bodies.recall(key);
		const holder =
			deliveryId === undefined
				? undefined
				: await intake.holderOf({...keyOf(ready), deliveryId}, idempotencyMs);
		if (holder !== undefined) {
			return stop(visit, duplicateReply(namesOf(ready)), {
				step: 'duplicate',
				detail: `same body as delivery ${holder}`,
			});
		}

		const handled = await handle();
		if (leadsOn.has(handled.outcome)) {
			bodies.remember(key, visit.deliveryId);
		}

		return handled;
	});

	return (
		reply ??
		stop(visit, refusals.busy, {
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
