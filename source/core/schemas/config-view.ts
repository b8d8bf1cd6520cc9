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
	/** One sentence with the value and, where a known name is similar, that name. */
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
	/** A person paused it: events that would start something are answered 503. */
	paused: maybe,
	/** What `coalesce.key` says; `cron_job` of its route. */
	coalesceKey: maybeText,
	cronJob: maybeText,
	/** The two clocks of its groups, milliseconds. */
	windowMs: maybeNumber,
	maxWaitMs: maybeNumber,
	/** How its sender signs, where the route says so: a preset, or the header of a scheme of its own. */
	signature: maybeText,
	/** Runs of it at once, where it has a bound of its own. */
	concurrency: maybeInteger,
	/** Toolset names of its runs, where it names any. */
	toolsets: maybeTexts,
	/** What the gateway fetches before its runs start; absent: nothing. */
	prefetch: maybeTexts,
	/** Events above its rate limit wait; absent: they are refused. */
	overflow: z.literal('queue').exactOptional(),
	/** Absent when the route is served; else why it is not (a refusal, an error, or shadowed by a static route). */
	problem: maybeText,
	/** What is wrong with the route as it is written now, when its last good version is served. */
	stale: maybeText,
	/** Problems that do not stop it from being served: with its target, or with toolsets that offer no tools. */
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
	/** When the last one was sent, milliseconds since 1970. */
	sentAt: maybeInteger,
	/** Why the last alert could not be sent; absent after a success. */
	problem: maybeText,
}).register(z.globalRegistry, {id: 'Alert'});
