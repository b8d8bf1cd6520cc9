import {z} from 'zod';
import {routeViewSchema} from '../../core/schemas/config-view.ts';
import {maybeText, text} from '../../core/schemas/parts.ts';
import {receiverAnswerSchema} from '../../core/schemas/replay.ts';
import {eventBodyBytes} from './event-body-bytes.ts';
import type {Operations} from './operation.ts';

/** Routes, and events that are sent to them from here. */
export const routes = {
	/** Every route of the home, also those that are not served. */
	listRoutes: {
		method: 'GET',
		path: '/v1/routes',
		summary: 'Every route, also those that are not served, with the reason.',
		result: z.array(routeViewSchema),
	},
	/** Sends a signed event to a route of this gateway through its HTTP port. @throws SvcError `route_not_found`, `route_not_testable`, `webhook_not_listening` */
	sendTestEvent: {
		method: 'POST',
		path: '/v1/routes/{name}/test',
		summary:
			'Sends a signed test event through the HTTP port. Body: {"payload": "…", "event": "…"} or nothing.',
		body: z.strictObject({payload: maybeText, event: maybeText}),
		result: receiverAnswerSchema,
	},
	/** A `curl` command line that sends a signed test event to the route; holds no secret, only a computed signature. Same errors. */
	curlLine: {
		method: 'GET',
		path: '/v1/routes/{name}/curl',
		summary: 'A curl line that sends a signed test event.',
		result: text,
	},
	/**
	 * Takes in an event that its sender could not deliver and whose sender has been asked, with the identifier that it had: the pipeline after authentication. A duplicate answers so.
	 * @throws SvcError `route_not_found`, `webhook_not_listening`
	 */
	recoverDelivery: {
		method: 'POST',
		path: '/v1/routes/{name}/recover',
		summary:
			'Takes in an event that its sender could not deliver and has been asked for. Body: {"delivery_id": "…", "headers": {…}, "body": "…"}.',
		body: z.strictObject({
			/** The sender's identifier. */
			delivery_id: text.min(1).max(1000),
			headers: z.record(text, text),
			/** UTF-8. */
			body: text,
		}),
		maxBodyBytes: eventBodyBytes,
		result: receiverAnswerSchema,
	},
} as const satisfies Operations;
