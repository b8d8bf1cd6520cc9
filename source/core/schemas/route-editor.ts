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
	/** What it is edited as. `lines`: a text of several lines; `texts`: a list of texts; `mapping`: keys to any JSON; `json`: whatever stands there. */
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
	/** What counts while it is absent. */
	default: json.exactOptional(),
	/** What can be chosen; of `json`, texts that may stand there. */
	options: maybeTexts,
	least: maybeNumber,
	most: maybeNumber,
	/** It must be more than that. */
	above: maybeNumber,
	/** Its mapping needs it. */
	required: maybe,
	/** It holds a secret. */
	secret: maybe,
	/** Only where its mapping is written out: what stands there may be a name instead. */
	inMapping: maybe,
	/** People change it in the text alone. */
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
	/** As written; each secret is a mark that says which one it is: `<kept: secret, 43 bytes>`. */
	definition: jsonObject,
	/** Another one as soon as somebody changes the entry. */
	fingerprint: text,
}).register(z.globalRegistry, {id: 'RouteDefinition'});

export const routeDraftSchema = z.strictObject({
	source: sourceSchema,
	/** As it would be written. A mark in the place of a secret keeps the one of the file. */
	definition: jsonObject,
	/** Of the definition that was read; `none` for a new route. */
	fingerprint: text,
	/** The name that it has in the file, when it is to get another one. */
	from: maybeText,
});

export const routeProblemSchema = facts({
	/** Keys down to the value, dotted; empty for the route itself, or its name. */
	path: text,
	/** What is wrong, without the name of the route. */
	message: text,
});

export const routeCheckSchema = facts({
	/** Why the receiver would not serve it. */
	problems: z.array(routeProblemSchema),
	/** What of it has no effect, or is badly said. */
	warnings: texts,
	/** Those of the warnings that are of one setting. */
	notes: z.array(routeProblemSchema).exactOptional(),
}).register(z.globalRegistry, {id: 'RouteCheck'});

export const routeSavePlanSchema = routeCheckSchema
	.extend({
		file: text,
		/** What changes in the file, as `diff -u` writes it; without secrets. */
		diff: texts,
		/** The rest of the file is written anew: its spacing may change. */
		movesOthers: maybe,
	})
	.register(z.globalRegistry, {id: 'RouteSavePlan'});

export const savedRouteSchema = facts({
	file: text,
	/** Told once, of a secret that was made. */
	secret: maybeText,
	/** Absent while the receiver does not listen, or the route is not served. */
	url: maybeText,
	curl: maybeText,
	warnings: texts,
}).register(z.globalRegistry, {id: 'SavedRoute'});

export const rotatedRouteSchema = savedRouteSchema
	.extend({
		/** The secrets before pass until then, milliseconds since 1970; absent: they do not pass any more. */
		until: maybeNumber,
	})
	.register(z.globalRegistry, {id: 'RotatedRoute'});

export const routePreviewSchema = facts({
	/** Why there is nothing to show. */
	problem: maybeText,
	/** How the delivery would end. */
	fate: maybeText,
	/** What decided. */
	why: maybeText,
	trace: z.array(traceStepSchema).exactOptional(),
	/** The prompt, at most 64 KiB of it. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** `deliver_extra` with its templates filled in. */
	extra: jsonObject.exactOptional(),
	/** Keys that stay as they are written, with their places in `prompt` (UTF-16 units); at most 100. */
	unresolved: z.array(facts({key: text, at: integer})).exactOptional(),
	/** Key of its group. */
	groupKey: maybeText,
	notes: texts,
}).register(z.globalRegistry, {id: 'RoutePreview'});

export const routeFactsSchema = facts({
	/** Requests a minute. */
	rateLimit: integer,
	/** Where its secret comes from and how long it is: `its own: 43 bytes`. Never the secret. */
	secret: text,
	/** When that secret was made or changed last, milliseconds since 1970, by the day; absent: nobody wrote it down. */
	secretSince: maybeNumber,
	/** Until when secrets that were replaced pass, or passed; milliseconds since 1970. */
	formerSecretsUntil: z.array(number),
	/** Absent: the payload as JSON. Its first 4,000 characters. */
	prompt: maybeText,
	/** Characters of the whole prompt. */
	promptLength: maybeInteger,
	/** One condition a line, at most 41; those of a group below it, indented. */
	filters: texts,
	/** What its runs are handed, or those of its job, from which tool server (absent: svc's own), whether it may change things, and whether a call waits for a person. */
	tools: z.array(facts({name: text, server: maybeText, changes: yesOrNo, asks: yesOrNo})),
	/** Tool servers whose tools come on top, and are not known before they are connected. */
	unknownServers: texts,
	/** Toolsets that give nothing, and why; that tools are deferred. */
	notes: texts,
}).register(z.globalRegistry, {id: 'RouteFacts'});

export const routeRateSchema = facts({
	/** Requests a minute. */
	limit: integer,
	/** Of those, in the minute that runs now. */
	used: integer,
	/** When that minute ends, milliseconds from now; 0: nothing is used. */
	endsInMs: number,
	/** The latest start that was promised to an event above the rate, milliseconds from now. */
	promisedInMs: maybeNumber,
}).register(z.globalRegistry, {id: 'RouteRate'});

const totalsSchema = facts({
	/** Events that lead to something. */
	passed: integer,
	/** Agent runs that they start. */
	runs: integer,
});

export const routeBacktestSchema = facts({
	problem: maybeText,
	/** Deliveries that were decided anew, and those that were not: without a body, too large, or out of time. */
	deliveries: integer,
	leftOut: integer,
	/** Of the oldest, milliseconds since 1970. */
	since: maybeNumber,
	today: totalsSchema.exactOptional(),
	edited: totalsSchema.exactOptional(),
	/** How many of these deliveries each of the first 20 filters lets pass by itself. */
	filterPasses: z.array(integer).exactOptional(),
	/** Characters. */
	medianPrompt: maybeInteger,
	/** Keys that stay as they are written in at least one prompt, at most 20. */
	unresolved: maybeTexts,
	/** Deliveries that end otherwise than today, at most 50. */
	changes: z
		.array(facts({id: text, event: text, receivedAt: number, today: text, edited: text, why: text}))
		.exactOptional(),
	/** How many there are. */
	changed: maybeInteger,
	promptsChanged: maybeInteger,
	notes: texts,
}).register(z.globalRegistry, {id: 'RouteBacktest'});

export const payloadKeysSchema = facts({
	/** Deliveries that were looked at. */
	deliveries: integer,
	/** Keys that templates can name, those of most deliveries first; at most 500. */
	keys: z.array(
		facts({
			key: text,
			/** In how many of them. */
			count: integer,
			/** What the newest has there, cut. */
			sample: text,
		}),
	),
}).register(z.globalRegistry, {id: 'PayloadKeys'});
