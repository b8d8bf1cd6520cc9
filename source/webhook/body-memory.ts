import {createHash} from 'node:crypto';
import type {Clock} from '../core/clock.ts';
import {idempotencyMs} from '../core/delivery.ts';

const mostBodies = 10_000;

export type BodyMemory = {
	/** The delivery identifier that came with the same body within the hour, if any. */
	recall(key: string): string | undefined;
	remember(key: string, deliveryId: string): void;
};

/** The key of a body: its route and its SHA-256. */
export const bodyKey = (route: string, body: Buffer): string =>
	`${route} ${createHash('sha256').update(body).digest('base64')}`;

/** Bodies of `dedupe_body` routes of the last hour, in memory, at most 10,000; the oldest go first. @see Decisions 3 */
export function createBodyMemory(clock: Clock): BodyMemory {
	const bodies = new Map<string, {readonly deliveryId: string; readonly at: number}>();

	return {
		recall(key) {
			const body = bodies.get(key);
			return body && clock.monotonic() - body.at < idempotencyMs ? body.deliveryId : undefined;
		},
		remember(key, deliveryId) {
			bodies.delete(key);
			bodies.set(key, {deliveryId, at: clock.monotonic()});
			if (bodies.size > mostBodies) {
				const [oldest = key] = bodies.keys();
				bodies.delete(oldest);
			}
		},
	};
}
