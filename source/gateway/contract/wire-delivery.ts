import {z} from 'zod';
import {deliveryOutcomes, type StoredDelivery, traceOrder} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import type {Shape} from '../../core/schemas/parts.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {wireDeliverySchema} from './deliveries.ts';
import {shapeProblem} from './shape-problem.ts';

/** A stored delivery as JSON: the body in base64. */
type WireDelivery = Shape<typeof wireDeliverySchema>;

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
const line = (maxLength: number) => z.string().transform(text => escapeLine(text, maxLength));

const count = z.int().min(0);

const maxTraceSteps = 64;

/** Everything but the body. Keys that are not known are left out: a newer version may have written the file. */
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

/** What was made here is checked; large bodies are not looked through again. */
const checked = new WeakSet<StoredDelivery>();

/**
 * An exported delivery, from `value` as it was read: checked, and cleaned for faces. References to other rows of its old journal are not in it.
 *
 * @throws SvcError `delivery_invalid` naming the key that is wrong
 */
export function readWireDelivery(value: unknown): StoredDelivery {
	const delivery = fromWire(parse(wireSchema, value));
	checked.add(delivery);
	return delivery;
}

/** The same for a value in memory; one that {@link readWireDelivery} returned is returned as it is. @throws SvcError `delivery_invalid` */
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

/** Clocks differ; more than a day is a mistake, and later still there is no date. */
const aheadMs = 24 * 60 * 60 * 1000;

/**
 * Refuses an imported delivery that has not been received yet. `now` is in milliseconds since 1970.
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
