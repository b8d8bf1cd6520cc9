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
	/** The keys that lead to the setting: `["coalesce", "key"]`. */
	path: texts,
	/** The kind of editor for it. `lines`: a text of several lines; `texts`: a list of texts; `mapping`: keys to any JSON; `json`: any JSON. */
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
	/** The value that applies if the setting is absent. */
	default: json.exactOptional(),
	/** The allowed values; for `json`: suggested texts. */
	options: maybeTexts,
	least: maybeNumber,
	most: maybeNumber,
	/** Exclusive lower bound. */
	above: maybeNumber,
	/** Whether the mapping that contains it requires it. */
	required: maybe,
	/** Whether it holds a secret. */
	secret: maybe,
	/** Whether it exists only if its mapping is written in full, instead of a name for the whole mapping. */
	inMapping: maybe,
	/** Whether people can edit it only in the file. */
	byHand: maybe,
}).register(z.globalRegistry, {id: 'RouteField'});

const sourceSchema = z.enum(['static', 'dynamic']);

export const routeDefinitionSchema = facts({
	name: text,
	source: sourceSchema,
	/** Absolute path of the route's file. `line`: the line with the route's name. */
	file: text,
	line: integer,
	/** The line of each key of the route in that file. */
	lines: z.record(text, integer),
	/** The entry as written, with a placeholder for each secret: `<kept: secret, 43 bytes>`. */
	definition: jsonObject,
	/** Changes whenever the entry changes. */
	fingerprint: text,
}).register(z.globalRegistry, {id: 'RouteDefinition'});

export const routeDraftSchema = z.strictObject({
	source: sourceSchema,
	/** The entry to be written. A placeholder keeps the secret that is in the file. */
	definition: jsonObject,
	/** Fingerprint of the definition that was read; `none` for a new route. */
	fingerprint: text,
	/** If the draft renames the route: its present name in the file. */
	from: maybeText,
});

export const routeProblemSchema = facts({
	/** Dotted path of the value; empty for the route itself or its name. */
	path: text,
	/** The problem, without the name of the route. */
	message: text,
});

export const routeCheckSchema = facts({
	/** Problems for which the receiver would not serve the route. */
	problems: z.array(routeProblemSchema),
	/** Warnings about settings without effect, and doubtful settings. */
	warnings: texts,
	/** The warnings that concern a single setting, with its path. */
	notes: z.array(routeProblemSchema).exactOptional(),
}).register(z.globalRegistry, {id: 'RouteCheck'});

export const routeSavePlanSchema = routeCheckSchema
	.extend({
		file: text,
		/** The changes of the file in the form of `diff -u`, without secrets. */
		diff: texts,
		/** Whether the whole file is rewritten, so that its spacing may change. */
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
		/** Time until which the former secrets are accepted, milliseconds since 1970; absent: they are no longer accepted. */
		until: maybeNumber,
	})
	.register(z.globalRegistry, {id: 'RotatedRoute'});

export const routePreviewSchema = facts({
	/** Why there is no preview. */
	problem: maybeText,
	/** The outcome of the delivery. */
	fate: maybeText,
	/** The step that decided the outcome. */
	why: maybeText,
	trace: z.array(traceStepSchema).exactOptional(),
	/** The prompt, cut at 64 KiB. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** `deliver_extra` with its templates filled in. */
	extra: jsonObject.exactOptional(),
	/** Template keys without a value in the payload, with their offsets in `prompt` (UTF-16 units); at most 100. */
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
	/** Day of the last change of the secret, milliseconds since 1970; absent: not recorded. */
	secretSince: maybeNumber,
	/** Ends of the validity of former secrets, past ones included; milliseconds since 1970. */
	formerSecretsUntil: z.array(number),
	/** First 4,000 characters of the prompt template; absent: the prompt is the payload as JSON. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** One condition per line, at most 41 lines; the conditions of a group are indented below it. */
	filters: texts,
	/** The tools of its runs, or of the runs of its job. `server`: absent for a built-in tool; `changes`: it may change things; `asks`: calls wait for an approval. */
	tools: z.array(facts({name: text, server: maybeText, changes: yesOrNo, asks: yesOrNo})),
	/** Tool servers whose tools become known only when they connect. */
	unknownServers: texts,
	/** Sentences about toolsets without tools, with the reason, and about deferred tools. */
	notes: texts,
}).register(z.globalRegistry, {id: 'RouteFacts'});

export const routeRateSchema = facts({
	/** Requests a minute. */
	limit: integer,
	/** Number of requests in the current minute. */
	used: integer,
	/** Time until the current minute ends, milliseconds; 0: no requests in it. */
	endsInMs: number,
	/** Latest start promised to an event above the rate, milliseconds from now. */
	promisedInMs: maybeNumber,
}).register(z.globalRegistry, {id: 'RouteRate'});

const totalsSchema = facts({
	/** Number of events that start a run, join a group or are delivered. */
	passed: integer,
	/** Number of agent runs that these events start. */
	runs: integer,
});

export const routeBacktestSchema = facts({
	problem: maybeText,
	/** Number of deliveries that were decided again. `leftOut`: number of the others, which have no body, are too large, or exceeded the time limit. */
	deliveries: integer,
	leftOut: integer,
	/** Time of the oldest delivery, milliseconds since 1970. */
	since: maybeNumber,
	today: totalsSchema.exactOptional(),
	edited: totalsSchema.exactOptional(),
	/** For each of the first 20 filters: number of deliveries that pass it alone. */
	filterPasses: z.array(integer).exactOptional(),
	/** Median length of the prompts, characters. */
	medianPrompt: maybeInteger,
	/** Template keys without a value in at least one delivery, at most 20. */
	unresolved: maybeTexts,
	/** Deliveries whose outcome changes, at most 50. */
	changes: z
		.array(facts({id: text, event: text, receivedAt: number, today: text, edited: text, why: text}))
		.exactOptional(),
	/** Number of all deliveries whose outcome changes. */
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
			/** The value of the key in the newest delivery, shortened. */
			sample: text,
		}),
	),
}).register(z.globalRegistry, {id: 'PayloadKeys'});
