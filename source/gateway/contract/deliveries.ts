import {z} from 'zod';
import type {StoredDelivery} from '../../core/delivery.ts';
import {runStates} from '../../core/run.ts';
import {
	deliverySchema,
	storedDeliverySchema,
	receiverAnswerSchema,
	replayChangesSchema,
} from '../../core/schemas/delivery.ts';
import {facts, integer, maybeText, text, texts, yesOrNo} from '../../core/schemas/parts.ts';
import {eventBodyBytes, get, look, post, type Operations} from './operation.ts';
import {integerParameter, limitParameter, repeatedParameter, textParameter} from './parameters.ts';
import {fromWire, readWireDelivery, toWire} from './wire-delivery.ts';

export const wireDeliverySchema = storedDeliverySchema
	.omit({body: true})
	.extend({body_base64: maybeText})
	.register(z.globalRegistry, {id: 'StoredDelivery'});

/** An exported delivery; decoding checks it and cleans it for faces. */
const importedDelivery = z.codec(
	z.unknown().meta({$ref: '#/components/schemas/StoredDelivery'}),
	z.custom<StoredDelivery>(),
	{decode: readWireDelivery, encode: toWire},
);

/** Inbound events. */
export const deliveries = {
	listDeliveries: get('/v1/deliveries', 'Lists deliveries, newest first.', {
		query: {
			profile: textParameter('Only those of this profile.'),
			route: textParameter('Only those of this route.'),
			outcomes: repeatedParameter('outcome', 'Only those that ended so'),
			runStates: repeatedParameter('run_state', 'Only those whose run is in this state', runStates),
			/** Milliseconds since 1970. */
			since: integerParameter('Only those received since, milliseconds since 1970.'),
			before: textParameter('Only those before this one, an identifier.'),
			limit: limitParameter(),
		},
		result: z.array(deliverySchema),
	}),
	/** Stores deliveries under new identifiers, without running anything. Resolves with their number. */
	importDeliveries: post(
		'/v1/deliveries',
		'Imports deliveries into the journal under new identifiers; nothing runs. The answer says how many.',
		{
			body: z.strictObject({deliveries: z.array(importedDelivery).max(1000)}),
			maxBodyBytes: eventBodyBytes,
			result: integer,
		},
	),
	getDelivery: get('/v1/deliveries/{id}', 'One delivery with its headers and body (base64).', {
		result: wireDeliverySchema.transform(fromWire).optional(),
		encode: toWire,
	}),
	/** What `replay` would do, without doing it. @throws SvcError `delivery_not_found`, `body_not_kept`, `route_not_found` */
	planReplay: look(
		'/v1/deliveries/{id}/replay-plan',
		'What a replay of the delivery would do, without doing it. Body: the same as for the replay.',
		{
			body: replayChangesSchema,
			maxBodyBytes: eventBodyBytes,
			result: facts({
				route: text,
				/** One line per effect: `starts an agent run`, `posts a comment to acme/api#7`. */
				effects: texts,
				/** Whether there are effects beyond the log, so that a face must ask first. */
				needsConfirmation: yesOrNo,
			}),
		},
	),
	/** Sends a stored delivery through the pipeline again, after authentication, as a new delivery that refers to the old one (`replayOf`). */
	replay: post(
		'/v1/deliveries/{id}/replay',
		'Sends the delivery through the pipeline again. Body: {"body": "replacement", "route": "another route"}, each or both or nothing.',
		{body: replayChangesSchema, maxBodyBytes: eventBodyBytes, result: receiverAnswerSchema},
	),
} as const satisfies Operations;
