import {createHash} from 'node:crypto';
import {idempotencyMs} from '../core/delivery.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {DeliveryError} from '../platforms/delivery-error.ts';
import type {OutgoingMessage} from '../platforms/outgoing-message.ts';

/** Name of what the store keeps of deliveries. */
export const memoKind = 'delivery';

/** What is kept of a delivery beyond this process. */
export type Note = {
	/** Digest of its text, its parts and its place: of another one nothing has arrived. */
	readonly digest: string;
	/** Parts that have arrived. */
	readonly arrived: number;
	/** When the next part was first begun, as long as its end is not known; milliseconds since 1970. */
	readonly begunAt?: number;
	/** When this was written. */
	readonly at: number;
};

/** Where a delivery begins, by what is noted of it. @throws DeliveryError `delivery_uncertain` when a part of another text was sent and its end is not known */
export function startOf(
	note: Note | undefined,
	{
		digest,
		message: {runId, startedAt},
		now,
	}: {readonly digest: string; readonly message: OutgoingMessage; readonly now: number},
): {readonly arrived: number; readonly begunAt?: number | undefined} {
	// Senders may use an identifier again for another event later.
	if (!note || (runId === undefined && now - note.at >= idempotencyMs)) {
		return {arrived: 0};
	}

	// A person has put the run back since: that is their word that the part may be sent again.
	const isReleased = note.begunAt !== undefined && (startedAt ?? 0) > note.begunAt;
	const begunAt = isReleased ? undefined : note.begunAt;
	if (note.digest === digest) {
		return {arrived: note.arrived, begunAt};
	}

	if (begunAt !== undefined) {
		throw new DeliveryError(
			'delivery_uncertain',
			'Cannot go on: an earlier try broke off while it sent another text or to another place, where a part may have arrived',
		);
	}

	return {arrived: 0};
}

/** What a delivery is called: the same for each try, until it has arrived and a person has it sent again. */
export const deliveryName = ({
	profile,
	route,
	delivery,
	identifier,
	runId,
	again,
}: OutgoingMessage): string =>
	JSON.stringify([
		profile,
		route,
		identifier ?? delivery ?? null,
		runId ?? null,
		...(again === undefined ? [] : [again]),
	]);

export const hashOf = (value: unknown): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** What was kept under the name of a delivery. */
export function noteIn(memo: JsonValue | undefined): Note | undefined {
	if (!isJsonObject(memo)) {
		return undefined;
	}

	const {digest, arrived, begunAt, at} = memo;
	return typeof digest === 'string' && typeof arrived === 'number' && typeof at === 'number'
		? {digest, arrived, at, ...(typeof begunAt === 'number' && {begunAt})}
		: undefined;
}
