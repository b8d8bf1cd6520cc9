import {randomUUID} from 'node:crypto';
import type {JsonObject} from '../../core/json.ts';

/** What all parts of an answer have in common. */
export type AnswerHead = {
	readonly id: string;
	/** Seconds since 1970. */
	readonly created: number;
	/** The public identifier of the model. */
	readonly model: string;
};

/** Tokens in the format of this API, with the details of a model's server if it reports them. */
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

/** A complete answer. */
export type ChatAnswer = {
	/** `content`, `tool_calls` and other members of the assistant's message, without its role. */
	readonly message: JsonObject;
	readonly finishReason: FinishReason;
	readonly logprobs?: JsonObject;
	readonly usage: ChatUsage;
	/** The run of an agent in the journal. */
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

/** The complete answer as JSON. @see manual/chat-api.md#answers */
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

/** Formats the chunks of a stream as texts; their constant part is serialised only once, since there is a chunk for each token. */
export type ChatChunks = ReturnType<typeof createChunks>;

/** @param includesUsage whether each chunk has `usage`, which is null except in the last one */
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
		/** A progress event, in a chunk without choices. */
		progress: (svc: JsonObject): string =>
			`${start},"choices":[],"svc":${JSON.stringify(svc)}${end}`,
		usage: (usage: ChatUsage): string => `${start},"choices":[],"usage":${JSON.stringify(usage)}}`,
	};
}
