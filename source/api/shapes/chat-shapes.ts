import {randomUUID} from 'node:crypto';
import type {JsonObject} from '../../core/json.ts';

/** What all parts of an answer say of it. */
export type AnswerHead = {
	readonly id: string;
	/** Seconds since 1970. */
	readonly created: number;
	/** The public identifier. */
	readonly model: string;
};

/** Tokens, as this API counts them; with the details of a model's server where it tells them. */
export type ChatUsage = {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly total_tokens: number;
	readonly prompt_tokens_details?: JsonObject;
	readonly completion_tokens_details?: JsonObject;
};

export const finishReasons = [
	'stop',
	'length',
	'tool_calls',
	'content_filter',
	'function_call',
] as const;
export type FinishReason = (typeof finishReasons)[number];

/** A whole answer. */
export type ChatAnswer = {
	/** `content`, `tool_calls` and whatever else the assistant says; without its role. */
	readonly message: JsonObject;
	readonly finishReason: FinishReason;
	readonly logprobs?: JsonObject;
	readonly usage: ChatUsage;
	/** Of an agent: its run in the journal. */
	readonly run?: number;
};

export const answerHead = (model: string, now: number): AnswerHead => ({
	id: `chatcmpl_${randomUUID().replaceAll('-', '')}`,
	created: Math.trunc(now / 1000),
	model,
});

export const chatUsageOf = (inputTokens: number, outputTokens: number): ChatUsage => ({
	prompt_tokens: inputTokens,
	completion_tokens: outputTokens,
	total_tokens: inputTokens + outputTokens,
});

/** The answer in one piece. @see manual/chat-api.md#answers */
export const completion = (
	{id, created, model}: AnswerHead,
	{message, finishReason, logprobs, usage}: ChatAnswer,
) => ({
	id,
	object: 'chat.completion',
	created,
	model,
	choices: [
		{
			index: 0,
			message: {role: 'assistant', content: null, refusal: null, ...message},
			logprobs: logprobs ?? null,
			finish_reason: finishReason,
		},
	],
	usage,
});

/** The chunks of a stream, as texts: there is one for each word, and most of it is the same. */
export type ChatChunks = ReturnType<typeof createChunks>;

/** @param includesUsage then every chunk says that there is none, but for the one that has it */
export function createChunks(
	{id, created, model}: AnswerHead,
	{includesUsage}: {readonly includesUsage: boolean},
) {
	const start = JSON.stringify({id, object: 'chat.completion.chunk', created, model}).slice(0, -1);
	const end = includesUsage ? ',"usage":null}' : '}';
	const choice = (delta: string, logprobs: string, reason: string) =>
		`${start},"choices":[{"index":0,"delta":${delta},"logprobs":${logprobs},"finish_reason":${reason}}]${end}`;
	return {
		delta: (delta: JsonObject, logprobs?: JsonObject): string =>
			choice(JSON.stringify(delta), logprobs ? JSON.stringify(logprobs) : 'null', 'null'),
		finish: (reason: FinishReason): string => choice('{}', 'null', `"${reason}"`),
		/** Of no choice: something that happened on the way. */
		progress: (svc: JsonObject): string =>
			`${start},"choices":[],"svc":${JSON.stringify(svc)}${end}`,
		usage: (usage: ChatUsage): string => `${start},"choices":[],"usage":${JSON.stringify(usage)}}`,
	};
}
