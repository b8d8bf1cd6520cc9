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

/** The members that hold the origin of a run without a delivery. Read by `originOf`, together with `delivery` and `route`. */
export const originShape = {
	/** The scheduled job, if the run is one of a job. */
	job: facts({id: text, name: text}).exactOptional(),
	/** For a turn of a chat: the name of the API key, or `terminal` for the person at the terminal. */
	chat: facts({key: text}).exactOptional(),
	/** For a turn on a messaging platform: the conversation and its writer. */
	conversation: facts({
		/** Name of the platform: `telegram`. */
		platform: text,
		/** Identifiers of the platform: compare them raw, show them cleaned. */
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

/** A pull request, or a merge request of GitLab. `repo`: `owner/name`, on GitLab with all parent groups. */
export const pullRequestSchema = facts({
	host: z.enum(['github', 'gitlab', 'gitea']),
	repo: text,
	number: integer,
	/** Its head commit, if the event names it; GitHub only. */
	head: maybeText,
});

export const runPlanSchema = facts({
	/** The rendered user message, unchanged. */
	prompt: text,
	/** Keys of the payload whose values are in the prompt, `__raw__` for the payload as JSON; absent without an event, and in runs of older versions. */
	read: maybeTexts,
	target: targetSchema,
	skills: texts,
	/** `owner/name#number` of the pull request or issue, if the payload has it; for a turn of a conversation: the beginning of its message. */
	subject: maybeText,
	/** `owner/name` of the GitHub repository of the event; for runs with the toolset `terminal`. */
	repository: maybeText,
	/** The key of the group from which the run was made. */
	key: maybeText,
	/** Toolset names; the platform's default when absent. */
	toolsets: maybeTexts,
	mirrorToSession: maybe,
	/** Data that the gateway fetches before the agent starts. `pullRequest`: absent if the event names none. */
	prefetch: facts({
		what: texts,
		pullRequest: pullRequestSchema.exactOptional(),
	}).exactOptional(),
	/** How often a person had a delivered answer sent again, each time as a new message on the platform. */
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
	/** Cost by the prices that were configured then; absent if it is not fully known. `currency`: `USD`. */
	cost: facts({amount: number, currency: text}).exactOptional(),
});

export const runSchema = facts({
	id: integer,
	/** `Delivery.id` of the event that started it; the latest of its group. Absent when a schedule or a person fired a job. */
	delivery: maybeText,
	profile: text,
	/** Name of the route; `-` without a delivery; for a turn on a platform the name of the conversation. */
	route: text,
	/** Event type; without a delivery `schedule`, `person` or `chat`. */
	event: text,
	/** `Delivery.subject` of its event; for a turn on a platform the beginning of the message. */
	subject: maybeText,
	/** Number of earlier events of its group that the latest one supersedes, as stated in the prompt. Absent: none. */
	superseded: maybeInteger,
	/** `Group.id` of the group that became this run. */
	group: maybeInteger,
	...originShape,
	/** `deliver` of the planned target; after delivery the target that received the answer. */
	target: text,
	state: z.enum(runStates),
	/** Name of the gateway that works, or worked, on the run, if it is another one on the same store. */
	node: maybeText,
	/** Number of agent tries so far; 0 before the first. */
	attempt: integer,
	/** Number of tries so far to deliver the answer. */
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
	/** For a run that a person dismissed: its former state, the time (milliseconds since 1970) and the reason. */
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
