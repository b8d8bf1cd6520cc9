import {z} from 'zod';
import {deliveryOutcomes, type StoredDelivery, traceOrder} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import type {Shape} from '../../core/schemas/parts.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {wireDeliverySchema} from './deliveries.ts';
import {shapeProblem} from './shape-problem.ts';

/** A stored delivery as JSON: the body in base64. */
type WireDelivery = Shape<typeof wireDeliverySchema>;

/** Converts a delivery for the wire or a file. */
export function toWire({body, ...delivery}: StoredDelivery): WireDelivery {
	return body ? {...delivery, body_base64: Buffer.from(body).toString('base64')} : delivery;
}

/** Inverse of {@link toWire}; `value` must have been made by the same program. */
export function fromWire({body_base64: encoded, ...delivery}: WireDelivery): StoredDelivery {
	return encoded === undefined
		? delivery
		: {...delivery, body: new Uint8Array(Buffer.from(encoded, 'base64'))};
}

/** A text cleaned to one line of at most `maxLength` characters. */
const line = (maxLength: number) => z.string().transform(text => escapeLine(text, maxLength));

const count = z.int().min(0);

const maxTraceSteps = 64;

/** Everything except the body. Unknown keys are dropped: a newer version may have written the file. */
const factsSchema = z.object({
	id: line(64),
	profile: line(64),
	route: line(64),
	event: line(256),
	subject: line(200).exactOptional(),
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
		.max(maxTraceSteps),
	headers: z.record(z.string().max(256), line(512)),
});

const wireSchema = factsSchema.extend({body_base64: z.base64().exactOptional()});

const storedSchema = factsSchema.extend({body: z.instanceof(Uint8Array).exactOptional()});

/** Deliveries already checked here, so that large bodies are not checked again. */
const checked = new WeakSet<StoredDelivery>();

/**
 * Parses an exported delivery, checks it and cleans it for faces. Drops references to other rows of its old journal.
 *
 * @throws SvcError `delivery_invalid` naming the invalid key
 */
export function readWireDelivery(value: unknown): StoredDelivery {
	const delivery = fromWire(parse(wireSchema, value));
	checked.add(delivery);
	return delivery;
}

/** Checks a delivery in memory like {@link readWireDelivery}; one already checked is returned unchanged. @throws SvcError `delivery_invalid` */
export const checkDelivery = (delivery: StoredDelivery): StoredDelivery =>
	checked.has(delivery) ? delivery : parse(storedSchema, delivery);

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
	const parsed = schema.safeParse(value);
	if (!parsed.success) {
		throw new SvcError(
			'delivery_invalid',
			`Cannot import a delivery: ${shapeProblem(parsed.error, value)}`,
		);
	}

	return parsed.data;
}

/** Tolerated difference of clocks; a time further ahead is an error. */
const aheadMs = 24 * 60 * 60 * 1000;

/**
 * Refuses an imported delivery whose time of receipt is in the future. `now` is in milliseconds since 1970.
 *
 * @throws SvcError `delivery_invalid`
 */
export function requirePossibleTime(
	{receivedAt}: Pick<StoredDelivery, 'receivedAt'>,
	now: number,
): void {
	if (receivedAt > now + aheadMs) {
		throw new SvcError(
			'delivery_invalid',
			'Cannot import a delivery: receivedAt is more than a day ahead of the clock of this machine',
		);
	}
}
