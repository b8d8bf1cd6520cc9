import {z} from 'zod';
import {routeViewSchema} from '../../core/schemas/config-view.ts';
import {receiverAnswerSchema} from '../../core/schemas/delivery.ts';
import {maybeInteger, maybeText, text, yesOrNo} from '../../core/schemas/parts.ts';
import {
	rotatedRouteSchema,
	routeFactsSchema,
	routeRateSchema,
} from '../../core/schemas/route-editor.ts';
import {eventBodyBytes, get, post, type Operations} from './operation.ts';

/** Routes, and events that are sent to them from here. */
export const routes = {
	/** Every route of the home, also those that are not served. */
	listRoutes: get('/v1/routes', 'Every route, also those that are not served, with the reason.', {
		result: z.array(routeViewSchema),
	}),
	/** Facts of a served route: the kind of its secret, prompt, filters, rate and tools. `undefined` when no route of that name is served. */
	describeRoute: get(
		'/v1/routes/{name}/facts',
		'Facts of a served route: prompt, filters, rate, the kind of its secret, and its tools.',
		{result: routeFactsSchema.optional()},
	),
	/** How much of its rate limit a route has used in the current minute. `undefined` when the route is not served or the receiver does not listen. */
	readRouteRate: get(
		'/v1/routes/{name}/rate',
		'How much of its rate a route has used in the current minute.',
		{result: routeRateSchema.optional()},
	),
	/** Sends a signed event to a route of this gateway through its HTTP port. @throws SvcError `route_not_found`, `route_not_testable`, `webhook_not_listening` */
	sendTestEvent: post(
		'/v1/routes/{name}/test',
		'Sends a signed test event through the HTTP port. Body: {"payload": "…", "event": "…"} or nothing.',
		{body: z.strictObject({payload: maybeText, event: maybeText}), result: receiverAnswerSchema},
	),
	/** A `curl` command line that sends a signed test event to the route; contains only a computed signature, no secret. Same errors as `sendTestEvent`. */
	curlLine: get('/v1/routes/{name}/curl', 'A curl line that sends a signed test event.', {
		result: text,
	}),
	/**
	 * Pauses or resumes a dynamic route in its file.
	 * @throws SvcError `subscription_not_found`, `route_not_editable`; `route_refused` for an invalid route that is served in its last valid version; what `editSubscriptions`
	 * throws
	 */
	setRoutePaused: post(
		'/v1/routes/{name}/pause',
		'Pauses or resumes a dynamic route in its file. Body: {"paused": true or false}.',
		{body: z.strictObject({paused: yesOrNo})},
	),
	/** Removes a dynamic route from its file. @throws SvcError `subscription_not_found`, what `editSubscriptions` throws */
	removeRoute: post(
		'/v1/routes/{name}/remove',
		'Removes a dynamic route from its file, without asking.',
		{},
	),
	/**
	 * Gives a route a new secret, which is returned once; the old secret stays valid for `overlap_ms`, by default a day.
	 * @throws SvcError `route_not_found`, `rotation_refused`; what `editConfig` and `editSubscriptions` throw
	 */
	rotateRoute: post(
		'/v1/routes/{name}/rotate',
		'Gives a route a new secret, answered once; the old one is accepted for a while. Body: {"overlap_ms": 86400000, "secret": "…"} or nothing.',
		{
			body: z.strictObject({overlap_ms: maybeInteger, secret: maybeText}),
			result: rotatedRouteSchema,
		},
	),
	/**
	 * Takes in an event that its sender failed to deliver and that was fetched from the sender, under its original identifier: the pipeline after authentication. A duplicate
	 * is answered as such.
	 * @throws SvcError `route_not_found`, `webhook_not_listening`
	 */
	recoverDelivery: post(
		'/v1/routes/{name}/recover',
		'Accepts an event that its sender could not deliver, and that was fetched from the sender. Body: {"delivery_id": "…", "headers": {…}, "body": "…"}.',
		{
			body: z.strictObject({
				/** The sender's identifier of the event. */
				delivery_id: text.min(1).max(1000),
				headers: z.record(text, text),
				/** UTF-8. */
				body: text,
			}),
			maxBodyBytes: eventBodyBytes,
			result: receiverAnswerSchema,
		},
	),
} as const satisfies Operations;
