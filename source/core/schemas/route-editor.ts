import {z} from 'zod';
import {traceStepSchema} from './delivery.ts';
import {
	facts,
	integer,
	json,
	jsonObject,
	maybe,
	maybeInteger,
	maybeNumber,
	maybeText,
	maybeTexts,
	number,
	text,
	texts,
	yesOrNo,
} from './parts.ts';

export const routeFieldSchema = facts({
	/** Keys down to the setting: `["coalesce", "key"]`. */
	path: texts,
	/** Its kind of editor. `lines`: a text of several lines; `texts`: a list of texts; `mapping`: keys to any JSON; `json`: any JSON. */
	kind: z.enum([
		'text',
		'lines',
		'integer',
		'number',
		'boolean',
		'choice',
		'texts',
		'mapping',
		'json',
	]),
	description: text,
	/** The value in force while the setting is absent. */
	default: json.exactOptional(),
	/** The choices; for `json`, suggested texts. */
	options: maybeTexts,
	least: maybeNumber,
	most: maybeNumber,
	/** Exclusive minimum. */
	above: maybeNumber,
	/** Its mapping requires it. */
	required: maybe,
	/** It holds a secret. */
	secret: maybe,
	/** Only where its mapping is written out: a name may replace the whole mapping. */
	inMapping: maybe,
	/** People edit it in the file only. */
	byHand: maybe,
}).register(z.globalRegistry, {id: 'RouteField'});

const sourceSchema = z.enum(['static', 'dynamic']);

export const routeDefinitionSchema = facts({
	name: text,
	source: sourceSchema,
	/** Absolute path of its file, and the line of its name there. */
	file: text,
	line: integer,
	/** The line of each of its keys there. */
	lines: z.record(text, integer),
	/** As written, with a mark in place of each secret: `<kept: secret, 43 bytes>`. */
	definition: jsonObject,
	/** Changes whenever the entry changes. */
	fingerprint: text,
}).register(z.globalRegistry, {id: 'RouteDefinition'});

export const routeDraftSchema = z.strictObject({
	source: sourceSchema,
	/** As it would be written. A mark in place of a secret keeps the secret of the file. */
	definition: jsonObject,
	/** Fingerprint of the definition that was read; `none` for a new route. */
	fingerprint: text,
	/** Its present name in the file, when the draft renames it. */
	from: maybeText,
});

export const routeProblemSchema = facts({
	/** Keys down to the value, dotted; empty for the route itself, or its name. */
	path: text,
	/** The problem, without the name of the route. */
	message: text,
});

export const routeCheckSchema = facts({
	/** Why the receiver would not serve it. */
	problems: z.array(routeProblemSchema),
	/** Settings without effect, and doubtful ones. */
	warnings: texts,
	/** The warnings that concern a single setting. */
	notes: z.array(routeProblemSchema).exactOptional(),
}).register(z.globalRegistry, {id: 'RouteCheck'});

export const routeSavePlanSchema = routeCheckSchema
	.extend({
		file: text,
		/** The changes of the file, as `diff -u` writes them; without secrets. */
		diff: texts,
		/** The whole file is rewritten: its spacing may change. */
		movesOthers: maybe,
	})
	.register(z.globalRegistry, {id: 'RouteSavePlan'});

export const savedRouteSchema = facts({
	file: text,
	/** A generated secret, shown once. */
	secret: maybeText,
	/** Absent while the receiver does not listen, or the route is not served. */
	url: maybeText,
	curl: maybeText,
	warnings: texts,
}).register(z.globalRegistry, {id: 'SavedRoute'});

export const rotatedRouteSchema = savedRouteSchema
	.extend({
		/** When the former secrets stop passing, milliseconds since 1970; absent: they no longer pass. */
		until: maybeNumber,
	})
	.register(z.globalRegistry, {id: 'RotatedRoute'});

export const routePreviewSchema = facts({
	/** Why there is no preview. */
	problem: maybeText,
	/** The outcome of the delivery. */
	fate: maybeText,
	/** The step that decided. */
	why: maybeText,
	trace: z.array(traceStepSchema).exactOptional(),
	/** The prompt, at most 64 KiB of it. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** `deliver_extra` with its templates filled in. */
	extra: jsonObject.exactOptional(),
	/** Keys without a value, with their offsets in `prompt` (UTF-16 units); at most 100. */
	unresolved: z.array(facts({key: text, at: integer})).exactOptional(),
	/** Key of its group. */
	groupKey: maybeText,
	notes: texts,
}).register(z.globalRegistry, {id: 'RoutePreview'});

export const routeFactsSchema = facts({
	/** Requests a minute. */
	rateLimit: integer,
	/** Source and length of its secret: `its own: 43 bytes`. Never the secret. */
	secret: text,
	/** Day of the last change of that secret, milliseconds since 1970; absent: not recorded. */
	secretSince: maybeNumber,
	/** When former secrets end, or have ended; milliseconds since 1970. */
	formerSecretsUntil: z.array(number),
	/** Absent: the payload as JSON. Its first 4,000 characters. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** One condition a line, at most 41; conditions of a group are indented below it. */
	filters: texts,
	/** The tools of its runs, or of the runs of its job. `server`: absent for a built-in tool; `changes`: it may change things; `asks`: a call waits for an approval. */
	tools: z.array(facts({name: text, server: maybeText, changes: yesOrNo, asks: yesOrNo})),
	/** Tool servers that add tools which are not known before they connect. */
	unknownServers: texts,
	/** Toolsets without tools, and why; whether tools are deferred. */
	notes: texts,
}).register(z.globalRegistry, {id: 'RouteFacts'});

export const routeRateSchema = facts({
	/** Requests a minute. */
	limit: integer,
	/** Requests of the current minute. */
	used: integer,
	/** Time until that minute ends, milliseconds; 0: no requests. */
	endsInMs: number,
	/** Latest start promised to an event above the rate, milliseconds from now. */
	promisedInMs: maybeNumber,
}).register(z.globalRegistry, {id: 'RouteRate'});

const totalsSchema = facts({
	/** Events that start a run, join a group or are delivered. */
	passed: integer,
	/** Agent runs that they start. */
	runs: integer,
});

export const routeBacktestSchema = facts({
	problem: maybeText,
	/** Number of deliveries that were decided again, and of those that were not: without a body, too large, or out of time. */
	deliveries: integer,
	leftOut: integer,
	/** Time of the oldest delivery, milliseconds since 1970. */
	since: maybeNumber,
	today: totalsSchema.exactOptional(),
	edited: totalsSchema.exactOptional(),
	/** Number of deliveries that each of the first 20 filters would pass alone. */
	filterPasses: z.array(integer).exactOptional(),
	/** Characters. */
	medianPrompt: maybeInteger,
	/** Keys without a value in at least one prompt, at most 20. */
	unresolved: maybeTexts,
	/** Deliveries whose outcome changes, at most 50. */
	changes: z
		.array(facts({id: text, event: text, receivedAt: number, today: text, edited: text, why: text}))
		.exactOptional(),
	/** Number of all such deliveries. */
	changed: maybeInteger,
	promptsChanged: maybeInteger,
	notes: texts,
}).register(z.globalRegistry, {id: 'RouteBacktest'});

export const payloadKeysSchema = facts({
	/** Number of deliveries read. */
	deliveries: integer,
	/** Keys that templates can name, the most frequent first; at most 500. */
	keys: z.array(
		facts({
			key: text,
			/** Number of deliveries with the key. */
			count: integer,
			/** Its value in the newest delivery, cut. */
			sample: text,
		}),
	),
}).register(z.globalRegistry, {id: 'PayloadKeys'});
