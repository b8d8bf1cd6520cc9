import {z} from 'zod';
import {deliveryOutcomes, traceOrder} from '../delivery.ts';
import {runStates} from '../run.ts';
import {facts, integer, maybeInteger, maybeText, number, text} from './parts.ts';

export const traceStepSchema = facts({
	step: z.enum(traceOrder),
	verdict: z.enum(['pass', 'stop', 'skip']),
	detail: text,
});

export const deliverySchema = facts({
	/** Identifier made by svc: unique in a home, sortable by time, base 36. */
	id: text,
	profile: text,
	route: text,
	/** Resolved event type; `unknown`: the request named none; `-`: the type was not read. */
	event: text,
	/** The subject of the event, one line of at most 200 characters. Absent if the payload has none, or was not read. */
	subject: maybeText,
	/** The sender's identifier, or a random one. */
	deliveryId: text,
	/** Source of `deliveryId`: name of the header (lower case), `body.<field>` of a signed body, or `random`, `replay`, `recovered`, `import`. */
	idSource: text,
	/** HTTP status of the answer. */
	status: integer,
	outcome: z.enum(deliveryOutcomes),
	/** Milliseconds since 1970. */
	receivedAt: number,
	/** Time from the first header to the decision, milliseconds. */
	durationMs: number,
	bodyBytes: integer,
	/** Number of hostile characters that were escaped: see `Escaped`. */
	flags: integer,
	trace: z.array(traceStepSchema),
	/** `id` of the delivery that this one replays. */
	replayOf: maybeText,
	/** The run that this delivery started. */
	runId: maybeInteger,
	/** The group that this delivery joined. */
	group: maybeInteger,
	/** The last known state of its run, or `superseded` when a later event of its group replaced it. */
	work: z.enum([...runStates, 'superseded']).exactOptional(),
}).register(z.globalRegistry, {id: 'Delivery'});

export const storedDeliverySchema = deliverySchema.extend({
	/** Lower-case names; only allow-listed headers and those that the route's filters read, never secrets. */
	headers: z.record(text, text),
	body: z.custom<Uint8Array>(value => value instanceof Uint8Array).exactOptional(),
});

export const receiverAnswerSchema = facts({status: integer, body: text}).register(
	z.globalRegistry,
	{id: 'ReceiverAnswer'},
);

export const replayChangesSchema = z.strictObject({
	/** Body, as UTF-8. */
	body: maybeText,
	/** Name of another route, also of another profile. */
	route: maybeText,
});
