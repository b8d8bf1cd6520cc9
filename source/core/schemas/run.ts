import {z} from 'zod';
import {runStates, transcriptKinds} from '../run.ts';
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
} from './parts.ts';

/** The origin of a run without a delivery; together with `delivery` and `route`, the origin of any run. Read by `originOf`. */
export const originShape = {
	/** The scheduled job that it is a run of. */
	job: facts({id: text, name: text}).exactOptional(),
	/** A turn of a chat: the name of the API key that asked for it, or `terminal` for the person at the terminal. */
	chat: facts({key: text}).exactOptional(),
	/** A turn of a conversation on a messaging platform, with its writer. */
	conversation: facts({
		/** Name of the platform: `telegram`. */
		platform: text,
		/** Identifiers as the platform has them; compare them raw, show them cleaned. */
		chat: text,
		thread: maybeText,
		user: text,
	}).exactOptional(),
};

export const targetSchema = facts({
	/** `log`, `forge_comment`, or the name of a platform. */
	kind: text,
	extra: jsonObject,
});

/** A pull request, on GitLab a merge request. `repo`: `owner/name`, on GitLab with all groups. */
export const pullRequestSchema = facts({
	host: z.enum(['github', 'gitlab', 'gitea']),
	repo: text,
	number: integer,
	/** Its head commit, where the event names it; GitHub only. */
	head: maybeText,
});

export const runPlanSchema = facts({
	/** The rendered user message, unchanged. */
	prompt: text,
	/** Keys of the payload whose values are in the prompt, `__raw__` for the payload as JSON; absent without an event, and in runs of older versions. */
	read: maybeTexts,
	target: targetSchema,
	skills: texts,
	/** `owner/name#number` of the pull request or issue, where the payload says; for a turn of a conversation the beginning of its message. */
	subject: maybeText,
	/** `owner/name` of the GitHub repository of the event; for runs with the toolset `terminal`. */
	repository: maybeText,
	/** The coalesce key that gathered its events. */
	key: maybeText,
	/** Toolset names; the platform's default when absent. */
	toolsets: maybeTexts,
	mirrorToSession: maybe,
	/** Data that the gateway fetches before the agent starts. `pullRequest`: absent if the event names none. */
	prefetch: facts({
		what: texts,
		pullRequest: pullRequestSchema.exactOptional(),
	}).exactOptional(),
	/** How often a person had an arrived answer sent again: each time is a new message on the platform. */
	again: maybeInteger,
	/** The target of the answer before a person redirected it to `target`. */
	planned: targetSchema.exactOptional(),
	/** Name of the upstream model instead of the configured one; same provider. */
	model: maybeText,
	/** Identifier of its session, for a turn of a conversation on a platform. */
	session: maybeText,
});

export const usageSchema = facts({
	inputTokens: integer,
	outputTokens: integer,
	/** By the configured price at that time; absent if it is not fully known. `currency`: `USD`. */
	cost: facts({amount: number, currency: text}).exactOptional(),
});

export const runSchema = facts({
	id: integer,
	/** `Delivery.id` of the event that started it; the latest of its group. Absent when a schedule or a person fired a job. */
	delivery: maybeText,
	profile: text,
	/** `-` without a delivery; for a turn of a conversation on a platform the name of the conversation. */
	route: text,
	/** `schedule`, `person` or `chat` without a delivery. */
	event: text,
	/** `Delivery.subject` of its event; of a turn of a conversation on a platform the beginning of its message. */
	subject: maybeText,
	/** Number of earlier events of its group that the run replaces, as the prompt says. Absent: none. */
	superseded: maybeInteger,
	/** `Group.id` that it came from. */
	group: maybeInteger,
	...originShape,
	/** `deliver` of its target; once it is done, the target that received the answer. */
	target: text,
	state: z.enum(runStates),
	/** Name of the gateway that works, or worked, on the run, if it is another one on the same store. */
	node: maybeText,
	/** Agent tries so far, 0 while queued for the first time. */
	attempt: integer,
	/** Tries to hand over the answer so far. */
	deliveryAttempt: integer,
	createdAt: number,
	startedAt: maybeNumber,
	finishedAt: maybeNumber,
	/** When a waiting run is tried again, milliseconds since 1970. */
	nextAttemptAt: maybeNumber,
	/** Tool servers that need a login before it starts; at `nextAttemptAt` it starts without them. */
	awaitsLogins: maybeTexts,
	/** Number of tool calls of its last try. */
	toolCalls: integer,
	model: maybeText,
	/** Tokens of all its tries; absent while none are known. */
	usage: usageSchema.exactOptional(),
	/** First 2,000 characters of the answer. */
	answer: maybeText,
	/** Why it failed, redacted; one line. */
	error: maybeText,
	/** For a run that a person put away: its former state, the time, and the reason. */
	dropped: facts({was: z.enum(runStates), at: number, reason: maybeText}).exactOptional(),
}).register(z.globalRegistry, {id: 'Run'});

export const transcriptEntrySchema = facts({
	at: number,
	kind: z.enum(transcriptKinds),
	text,
	/** Further data: tool name and arguments, duration in milliseconds, token counts. */
	data: z.record(text, json).exactOptional(),
}).register(z.globalRegistry, {id: 'TranscriptEntry'});

export const storedRunSchema = runSchema
	.extend({
		plan: runPlanSchema,
		transcript: z.array(transcriptEntrySchema),
		/** The whole answer. */
		fullAnswer: maybeText,
	})
	.register(z.globalRegistry, {id: 'StoredRun'});
