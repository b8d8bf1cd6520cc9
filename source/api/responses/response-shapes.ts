import {randomUUID} from 'node:crypto';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {ApiErrorBody} from '../http/api-error.ts';
import type {ChatUsage, FinishReason} from '../shapes/chat-shapes.ts';
import type {ResponseRequest} from './response-request.ts';

/** A new identifier in the format of this API: `msg_…`. */
export const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** The state of a response. */
export type ResponseState =
	| {readonly status: 'in_progress'}
	| {
			readonly status: 'ended';
			readonly reason: FinishReason;
			readonly output: readonly JsonObject[];
			readonly usage: ChatUsage;
			/** Milliseconds since 1970. */
			readonly at: number;
	  }
	| {
			readonly status: 'failed';
			readonly error: ApiErrorBody;
			readonly output: readonly JsonObject[];
	  };

/** Returns a function that formats a response, with every field that it must have. @param now milliseconds since 1970 */
export function createResource(
	{asked, model, names, maxTokens}: ResponseRequest,
	now: number,
): (state: ResponseState) => JsonObject {
	const {text, reasoning} = asked;
	const {format, verbosity} = isJsonObject(text) ? text : {};
	const head = {id: newId('resp'), object: 'response', created_at: seconds(now)};
	const echo = {
		model: model.id,
		previous_response_id: null,
		instructions: asked['instructions'] ?? null,
		tools: names.told,
		tool_choice: asked['tool_choice'] ?? 'auto',
		truncation: 'disabled',
		parallel_tool_calls: asked['parallel_tool_calls'] ?? true,
		text: {
			format: isJsonObject(format) ? told(format) : {type: 'text'},
			...(typeof verbosity === 'string' && {verbosity}),
		},
		top_p: asked['top_p'] ?? 1,
		presence_penalty: asked['presence_penalty'] ?? 0,
		frequency_penalty: asked['frequency_penalty'] ?? 0,
		top_logprobs: 0,
		temperature: asked['temperature'] ?? 1,
		reasoning: isJsonObject(reasoning)
			? {effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null}
			: null,
		max_output_tokens: maxTokens ?? null,
		max_tool_calls: null,
		store: false,
		background: false,
		service_tier: asked['service_tier'] ?? 'default',
		metadata: asked['metadata'] ?? {},
		safety_identifier: asked['safety_identifier'] ?? null,
		prompt_cache_key: asked['prompt_cache_key'] ?? null,
	} satisfies JsonObject;
	return state => ({...head, ...fate(state), ...echo});
}

const seconds = (ms: number): number => Math.trunc(ms / 1000);

const told = (format: JsonObject): JsonObject =>
	format['type'] === 'json_schema' ? {description: null, strict: false, ...format} : format;

/** Finish reasons of incomplete answers, by the name that this API uses. */
const cut: Partial<Record<FinishReason, string>> = {
	length: 'max_output_tokens',
	content_filter: 'content_filter',
};

export const isCut = (reason: FinishReason): boolean => cut[reason] !== undefined;

function fate(state: ResponseState): JsonObject {
	const nothing = {completed_at: null, incomplete_details: null, error: null, usage: null};
	switch (state.status) {
		case 'in_progress':
			return {...nothing, status: 'in_progress', output: []};

		case 'failed': {
			const {code, message} = state.error;
			return {...nothing, status: 'failed', error: {code, message}, output: state.output};
		}

		case 'ended': {
			const why = cut[state.reason];
			return {
				...nothing,
				...(why === undefined
					? {status: 'completed', completed_at: seconds(state.at)}
					: {status: 'incomplete', incomplete_details: {reason: why}}),
				output: state.output,
				usage: usageOf(state.usage),
			};
		}
	}
}

function usageOf(usage: ChatUsage): JsonObject {
	const {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: total,
		prompt_tokens_details: ofInput = {},
		completion_tokens_details: ofOutput = {},
	} = usage;
	return {
		input_tokens: input,
		input_tokens_details: {cached_tokens: countIn(ofInput, 'cached_tokens')},
		output_tokens: output,
		output_tokens_details: {reasoning_tokens: countIn(ofOutput, 'reasoning_tokens')},
		total_tokens: total,
	};
}

const countIn = (details: JsonObject, name: string): JsonValue => {
	const value = details[name];
	return Number.isSafeInteger(value) ? (value ?? 0) : 0;
};
