import {z} from 'zod';
import {deliveryOutcomes, type StoredDelivery, traceOrder} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import {cell} from '../core/untrusted.ts';
import {shapeProblem} from './shape-problem.ts';

/** A stored delivery as JSON: the body in base64. */
export type WireDelivery = Omit<StoredDelivery, 'body'> & {readonly body_base64?: string};

/** For the wire, or a file. */
export function toWire({body, ...delivery}: StoredDelivery): WireDelivery {
	return body ? {...delivery, body_base64: Buffer.from(body).toString('base64')} : delivery;
}

/** What {@link toWire} of the same program made. */
export function fromWire({body_base64: encoded, ...delivery}: WireDelivery): StoredDelivery {
	return encoded === undefined
		? delivery
		: {...delivery, body: new Uint8Array(Buffer.from(encoded, 'base64'))};
}

/** One line of text of at most `longest` characters, cleaned. */
const line = (longest: number) => z.string().transform(text => cell(text, longest).text);

const count = z.int().min(0);

const longestTrace = 64;

/** Keys that are not known are left out: a newer version may have written the file. */
const deliverySchema = z.object({
	id: line(64),
	profile: line(64),
	route: line(64),
	event: line(256),
	deliveryId: line(256),
	idSource: line(64),
	status: z.int().min(100).max(599),
	outcome: z.enum(deliveryOutcomes),
	receivedAt: count,
	durationMs: z.number().min(0),
	bodyBytes: count,
	flags: count,
	trace: z
		.array(
			z.object({
				step: z.enum(traceOrder),
				verdict: z.enum(['pass', 'stop', 'skip']),
				detail: line(300),
			}),
		)
		.max(longestTrace),
	headers: z.record(z.string().max(256), line(512)),
	body_base64: z.base64().exactOptional(),
});

/**
 * A delivery that somebody exported, from `value` as it was read: checked, and cleaned for faces. What refers to other rows of its old journal is not in it.
 *
 * @throws SvcError `delivery_invalid` naming the key that is wrong
 */
export function readWireDelivery(value: unknown): StoredDelivery {
	const parsed = deliverySchema.safeParse(value);
	if (!parsed.success) {
		throw new SvcError(
			'delivery_invalid',
			`Cannot import a delivery: ${shapeProblem(parsed.error, value)}`,
		);
	}

	return fromWire(parsed.data);
}
