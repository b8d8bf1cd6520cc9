import {z} from 'zod';
import {alertKinds} from '../config-view.ts';
import {
	facts,
	integer,
	maybe,
	maybeInteger,
	maybeNumber,
	maybeText,
	maybeTexts,
	text,
	texts,
	yesOrNo,
} from './parts.ts';

export const diagnosticSchema = facts({
	severity: z.enum(['error', 'warning']),
	/** Absolute path of the file. */
	file: text,
	line: integer,
	column: integer,
	/** Path of the key, dotted: `platforms.webhook.rate_limitt`. Empty for the whole file. */
	key: text,
	/** One sentence with the value, and with a similar known name, if any. */
	message: text,
}).register(z.globalRegistry, {id: 'ConfigurationProblem'});

export const routeViewSchema = facts({
	name: text,
	profile: text,
	source: z.enum(['static', 'dynamic']),
	description: text,
	events: texts,
	deliver: text,
	mode: z.enum(['agent', 'deliver_only', 'cron_job', 'coalesce']),
	/** Whether a person paused the route: events that would start something are answered 503. */
	paused: maybe,
	/** `coalesce.key` as written. `cronJob`: `cron_job` as written. */
	coalesceKey: maybeText,
	cronJob: maybeText,
	/** Quiet window and longest wait of its groups, milliseconds. */
	windowMs: maybeNumber,
	maxWaitMs: maybeNumber,
	/** Signature scheme, if the route configures it: a preset, or the header of a custom scheme. */
	signature: maybeText,
	/** Most simultaneous runs, if the route has a limit of its own. */
	concurrency: maybeInteger,
	/** Toolset names of its runs, if the route names any. */
	toolsets: maybeTexts,
	/** Kinds of data that the gateway fetches before runs of the route start; absent: none. */
	prefetch: maybeTexts,
	/** `queue`: events above its rate limit wait; absent: they are refused. */
	overflow: z.literal('queue').exactOptional(),
	/** Why the route is not served: it was refused, has an error, or a static route has its name. Absent if it is served. */
	problem: maybeText,
	/** If the last good version is served: the problem with the route as now written. */
	stale: maybeText,
	/** Problems of a route that is served nevertheless: with its target, or toolsets without tools. */
	troubles: maybeTexts,
	/** True when the secret is `INSECURE_NO_AUTH`. */
	insecure: yesOrNo,
}).register(z.globalRegistry, {id: 'Route'});

export const modelViewSchema = facts({
	provider: z.enum(['openai-compatible', 'openai', 'anthropic', 'google', 'offline']),
	name: text,
	/** One line for a person: `configured`, `found at http://127.0.0.1:11434/v1`, `no model is configured`. */
	origin: text,
}).register(z.globalRegistry, {id: 'Model'});

export const platformViewSchema = facts({
	name: text,
	state: z.enum(['disabled', 'connecting', 'connected', 'failed']),
	reason: maybeText,
	/** When svc connects again, milliseconds since 1970. */
	nextTry: maybeInteger,
}).register(z.globalRegistry, {id: 'Platform'});

export const alertViewSchema = facts({
	/** Where alerts go: `telegram`. */
	platform: text,
	/** Absent: the platform's `home_channel`. */
	chat: maybeText,
	on: z.array(z.enum(alertKinds)),
	/** When the last alert was sent, milliseconds since 1970. */
	sentAt: maybeInteger,
	/** Why the last alert could not be sent; absent after a success. */
	problem: maybeText,
}).register(z.globalRegistry, {id: 'Alert'});
