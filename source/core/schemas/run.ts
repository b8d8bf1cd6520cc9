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

/** Where a run without a delivery comes from; with `delivery` and `route`, where any does. `originOf` reads it. */
export const originShape = {
	/** The scheduled job that it is a run of. */
	job: facts({id: text, name: text}).exactOptional(),
	/** A turn of a chat: the name of the key of the API that asked for it, or `terminal` for the person there. */
	chat: facts({key: text}).exactOptional(),
	/** A turn of a conversation on a messaging platform, and who wrote there. */
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
	/** `log`, `forge_comment`, or a platform's name. */
	kind: text,
	extra: jsonObject,
});

/** A pull request, of GitLab a merge request. `repo`: `owner/name`, of GitLab with all its groups. */
export const pullRequestSchema = facts({
	host: z.enum(['github', 'gitlab', 'gitea']),
	repo: text,
	number: integer,
	/** The commit that is its head, where the event names it; of GitHub alone. */
	head: maybeText,
});

export const runPlanSchema = facts({
	/** The rendered user message, unchanged. */
	prompt: text,
	/** Keys of the payload whose values are in the prompt, `__raw__` for the payload as JSON; absent without an event, and of runs of before. */
	read: maybeTexts,
	target: targetSchema,
	skills: texts,
	/** `owner/name#number` of what the event is about, where its payload says; of a turn of a conversation on a platform the beginning of its message. */
	subject: maybeText,
	/** `owner/name` of the repository on GitHub that the event is about; of runs with the toolset `terminal`. */
	repository: maybeText,
	/** The coalesce key that gathered its events. */
	key: maybeText,
	/** Toolset names; the platform's default when absent. */
	toolsets: maybeTexts,
	mirrorToSession: maybe,
	/** What the gateway gets before the agent starts. `pullRequest`: absent where the event names none. */
	prefetch: facts({
		what: texts,
		pullRequest: pullRequestSchema.exactOptional(),
	}).exactOptional(),
	/** How often a person had the answer handed over once more after it had arrived: each time it is another message to its platform. */
	again: maybeInteger,
	/** Where the answer was to go before a person had it handed over to `target`. */
	planned: targetSchema.exactOptional(),
	/** Name of the upstream model instead of the configured one; same provider. */
	model: maybeText,
	/** Identifier of the session that it is a turn of; of a conversation on a platform. */
	session: maybeText,
});

export const usageSchema = facts({
	inputTokens: integer,
	outputTokens: integer,
	/** By the price that the configuration had then; absent where a part of it is not known. `currency`: `USD`. */
	cost: facts({amount: number, currency: text}).exactOptional(),
});

export const runSchema = facts({
	id: integer,
	/** `Delivery.id` of the event that started it; the latest of its group. Absent when a schedule or a person fired a job. */
	delivery: maybeText,
	profile: text,
	/** `-` without a delivery, and the name of its conversation where it has one. */
	route: text,
	/** `schedule`, `person` or `chat` without a delivery. */
	event: text,
	/** `Delivery.subject` of its event; of a turn of a conversation on a platform the beginning of its message. */
	subject: maybeText,
	/** Earlier events of its group, which it stands for too; the prompt says so. Absent when there were none. */
	superseded: maybeInteger,
	/** `Group.id` that it came from. */
	group: maybeInteger,
	...originShape,
	/** `deliver` of its target; once it is done, of the one that has the answer. */
	target: text,
	state: z.enum(runStates),
	/** What the gateway is called that works on it, or has worked on it, where that is another one on the same store, and is known. */
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
	/** Tool servers that it waits for a person to log in to; without them it starts at `nextAttemptAt`. */
	awaitsLogins: maybeTexts,
	/** Of its last try. */
	toolCalls: integer,
	model: maybeText,
	/** Tokens of all its tries; absent while nothing is known of them. */
	usage: usageSchema.exactOptional(),
	/** First 2,000 characters of the answer. */
	answer: maybeText,
	/** Why it failed, redacted; one line. */
	error: maybeText,
	/** Of a run that a person has put away: where it stood, when that was, and why. */
	dropped: facts({was: z.enum(runStates), at: number, reason: maybeText}).exactOptional(),
}).register(z.globalRegistry, {id: 'Run'});

export const transcriptEntrySchema = facts({
	at: number,
	kind: z.enum(transcriptKinds),
	text,
	/** Facts beside the text: tool name and arguments, duration in milliseconds, token counts. */
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
