import {z} from 'zod';
import {maybeInteger, maybeText, text} from '../../core/schemas/parts.ts';
import {
	payloadKeysSchema,
	routeBacktestSchema,
	routeCheckSchema,
	routeDefinitionSchema,
	routeDraftSchema,
	routeFieldSchema,
	routePreviewSchema,
	routeSavePlanSchema,
	savedRouteSchema,
} from '../../core/schemas/route-editor.ts';
import {get, look, post, type Operations} from './operation.ts';
import {choiceParameter, textParameter} from './parameters.ts';

/** Largest draft in bytes: a prompt may be long. */
const maxBodyBytes = 2 * 1024 * 1024;

const sources = ['static', 'dynamic'] as const;

/** Routes as written in their files, and the effect of drafts. Any process that can open the socket could edit the files as well: both belong to this user alone. */
export const routeEditor = {
	/** The settings of a route, for a form. */
	listRouteFields: get('/v1/route-fields', 'The settings that a route can have, for a form.', {
		result: z.array(routeFieldSchema),
	}),
	/**
	 * A route as written in its file, with marks in place of secrets.
	 *
	 * @throws SvcError `config_broken`, `subscriptions_broken`, `route_not_editable` for one that is not a mapping
	 */
	readRoute: get(
		'/v1/routes/{name}/definition',
		'A route as its file says now, with a mark in the place of each secret, and a fingerprint for saving it.',
		{
			query: {
				source: choiceParameter('Where it is written; without, config.yaml comes first.', {
					listed: 'routes',
					values: sources,
					absent: undefined,
				}),
			},
			result: routeDefinitionSchema.optional(),
		},
	),
	/** The receiver's findings about a draft; writes nothing. Throws as `readRoute` does. */
	checkRoute: look(
		'/v1/routes/{name}/check',
		'The receiver\'s findings about a draft; writes nothing. Body: {"source": "dynamic", "definition": {…}, "fingerprint": "…"}.',
		{body: routeDraftSchema, maxBodyBytes, result: routeCheckSchema},
	),
	/** The result of a draft for a stored delivery: runs the steps after authentication, except the script. @throws SvcError `delivery_not_found`, and as `readRoute` does */
	previewRoute: look(
		'/v1/routes/{name}/preview',
		'The result of a draft for a stored delivery; nothing runs. Body: a draft and {"delivery": "its identifier"}.',
		{body: routeDraftSchema.extend({delivery: text}), maxBodyBytes, result: routePreviewSchema},
	),
	/**
	 * Compares what a draft and the present route make of the newest deliveries of `traffic` (default: the route itself); at most 1,000 deliveries, 64 MiB and 5 s. Throws as
	 * `readRoute` does.
	 */
	backtestRoute: look(
		'/v1/routes/{name}/backtest',
		'The results of a draft and of the present route for stored deliveries; scripts do not run. Body: a draft and {"traffic": "another route", "last": 200}.',
		{
			body: routeDraftSchema.extend({traffic: maybeText, last: maybeInteger}),
			maxBodyBytes,
			result: routeBacktestSchema,
		},
	),
	/** Why a target cannot be delivered to now, according to its platform or client; takes up to 5 s and sends nothing. `undefined` when it can be, or cannot be checked. */
	readTargetProblem: get(
		'/v1/targets/{name}/problem',
		'Why nothing can be delivered to a target now, as its platform or the client of the code host says; nothing is sent.',
		{
			query: {profile: textParameter('Profile of the runs; without, default.')},
			result: text.optional(),
		},
	),
	/** Keys that the newest payloads of a route had, for templates; of at most 20 deliveries. */
	listPayloadKeys: get(
		'/v1/routes/{name}/payload-keys',
		'Keys that templates of the route can name, from its newest payloads.',
		{result: payloadKeysSchema},
	),
	/** The changes that saving a draft would make to the file. @throws SvcError `route_conflict`, and as `readRoute` does */
	planRouteSave: look(
		'/v1/routes/{name}/save-plan',
		'What saving a draft would change in its file; writes nothing. Body: a draft.',
		{body: routeDraftSchema, maxBodyBytes, result: routeSavePlanSchema},
	),
	/**
	 * Writes a draft to its file; a new route without `secret` gets one, which is returned once.
	 * @throws SvcError `route_conflict` when the entry has changed since it was read, `route_refused` when it would not be served; what `editConfig` and `editSubscriptions` throw
	 */
	saveRoute: post(
		'/v1/routes/{name}/definition',
		'Writes a draft into its file, unless the entry has been changed since it was read. A new route without a secret gets one, which is answered once. Body: a draft.',
		{body: routeDraftSchema, maxBodyBytes, result: savedRouteSchema},
	),
} as const satisfies Operations;
