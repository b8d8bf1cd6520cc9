import type {JsonObject} from '../core/json.ts';

/** What a server says of a model. Tokens. */
export type ModelLimits = {readonly contextLength?: number; readonly maxOutputTokens?: number};

/** Where OpenRouter, vLLM, Mistral, Groq, LM Studio, Anthropic, Google and llama.cpp say it, as paths into an entry of their lists. */
const contextPaths = [
	'context_length',
	'max_model_len',
	'max_context_length',
	'context_window',
	'max_input_tokens',
	'inputTokenLimit',
	'meta.n_ctx_train',
];
const outputPaths = [
	'top_provider.max_completion_tokens',
	'max_completion_tokens',
	'max_output_tokens',
	'outputTokenLimit',
	'max_tokens',
];

/** Of an entry of such a list; what is no positive whole number is not known. */
export function limitsIn(entry: JsonObject): ModelLimits {
	const [contextLength] = countsAt(entry, contextPaths);
	const [maxOutputTokens] = countsAt(entry, outputPaths);
	return {
		...(contextLength !== undefined && {contextLength}),
		...(maxOutputTokens !== undefined && {maxOutputTokens}),
	};
}

const countsAt = (entry: JsonObject, paths: readonly string[]): readonly number[] =>
	paths
		.map(path => path.split('.').reduce<unknown>(memberOf, entry))
		.filter(value => typeof value === 'number')
		.filter(value => Number.isSafeInteger(value) && value > 0);

const memberOf = (value: unknown, name: string): unknown =>
	typeof value === 'object' && value !== null && Object.hasOwn(value, name)
		? Object.entries(value).find(([key]) => key === name)?.[1]
		: undefined;
