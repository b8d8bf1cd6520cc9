import type {LanguageModel} from 'ai';
import type {ModelView} from '../core/config-view.ts';
import {SvcError} from '../core/errors.ts';
import type {JsonObject} from '../core/json.ts';
import {createOfflineModel} from './offline-model.ts';

export type ModelSpec = {
	readonly provider: ModelView['provider'];
	readonly name: string;
	readonly baseUrl?: string;
	readonly apiKey?: string;
};

type Settings = {
	readonly name: string;
	readonly baseURL: string;
	readonly apiKey: string;
	readonly fetch: typeof globalThis.fetch;
};

type HostedProvider = {
	/** Environment variables for its key; the first one set counts. */
	readonly keyNames: readonly string[];
	readonly baseUrl: string;
	/** Used when a key was found in the environment and no model is configured. */
	readonly defaultModel: string;
};

/** Providers that cost money, in the order in which their keys are looked for. */
export const hostedProviders = {
	anthropic: {
		keyNames: ['ANTHROPIC_API_KEY'],
		baseUrl: 'https://api.anthropic.com/v1',
		defaultModel: 'claude-sonnet-5',
	},
	openai: {
		keyNames: ['OPENAI_API_KEY'],
		baseUrl: 'https://api.openai.com/v1',
		defaultModel: 'gpt-5-mini',
	},
	google: {
		keyNames: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
		baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
		defaultModel: 'gemini-3.5-flash',
	},
} as const satisfies Record<string, HostedProvider>;

/** Each package is loaded by the first model that needs it. Base URL and key are always passed: otherwise the packages would read the process's environment. */
const loaders: Record<ModelView['provider'], (settings: Settings) => Promise<LanguageModelV4>> = {
	async 'openai-compatible'({name, baseURL, apiKey, fetch}) {
		const {createOpenAICompatible} = await import('@ai-sdk/openai-compatible');
		// Without this option, a streamed answer has no token usage.
		const settings = {name: 'openai-compatible', baseURL, apiKey, fetch, includeUsage: true};
		return createOpenAICompatible(settings).chatModel(name);
	},
	async openai({name, baseURL, apiKey, fetch}) {
		const {createOpenAI} = await import('@ai-sdk/openai');
		// Chat completions rather than responses: every proxy supports them, and the provider stores nothing by default.
		return createOpenAI({baseURL, apiKey, fetch}).chat(name);
	},
	async anthropic({name, baseURL, apiKey, fetch}) {
		const {createAnthropic} = await import('@ai-sdk/anthropic');
		return createAnthropic({baseURL, apiKey, fetch}).languageModel(name);
	},
	async google({name, baseURL, apiKey, fetch}) {
		const {createGoogle} = await import('@ai-sdk/google');
		return createGoogle({baseURL, apiKey, fetch}).languageModel(name);
	},
	async offline() {
		return createOfflineModel();
	},
};

/** Whether a provider costs money. */
export const isHosted = (
	provider: ModelView['provider'],
): provider is keyof typeof hostedProviders => Object.hasOwn(hostedProviders, provider);

/**
 * The base URL for calls of `spec`; `undefined` for the offline model.
 *
 * @throws SvcError `model_misconfigured` when there is no such URL or it is none.
 */
export function baseUrlOf({provider, baseUrl}: Omit<ModelSpec, 'name'>): URL | undefined {
	if (provider === 'offline') {
		return undefined;
	}

	const text = baseUrl ?? (isHosted(provider) ? hostedProviders[provider].baseUrl : undefined);
	if (text === undefined) {
		throw misconfigured(provider, 'model.base_url is not set');
	}

	const url = URL.parse(text);
	if (url?.username || url?.password) {
		throw misconfigured(provider, 'model.base_url holds credentials; use model.api_key');
	}

	if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
		throw misconfigured(provider, 'model.base_url is not an http(s) URL');
	}

	return url;
}

/** The error for a provider whose configuration is unusable. */
export const misconfigured = (provider: ModelView['provider'], why: string): SvcError =>
	new SvcError('model_misconfigured', `Cannot use provider "${provider}": ${why}`);

/**
 * The model of `spec`, ready to be called; loads the provider's package, sends nothing.
 *
 * @throws SvcError `model_misconfigured`
 */
export async function loadModel(
	spec: ModelSpec,
	{fetch}: {readonly fetch: typeof globalThis.fetch},
): Promise<LanguageModelV4> {
	const baseURL = baseUrlOf(spec)?.href ?? '';
	return loaders[spec.provider]({name: spec.name, baseURL, apiKey: spec.apiKey ?? '', fetch});
}

/** The SDK's contract for a model, version 4; what providers and the offline model implement. */
export type LanguageModelV4 = Extract<
	Exclude<LanguageModel, string>,
	{readonly specificationVersion: 'v4'}
>;

/** Options of one call: the whole prompt, the tools, limits, the signal. */
export type ModelCallOptions = Parameters<LanguageModelV4['doGenerate']>[0];

/** Result of one call that does not stream. */
export type Generated = Awaited<ReturnType<LanguageModelV4['doGenerate']>>;

/** A part of a call that streams. */
export type StreamPart =
	Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part>
		? Part
		: never;

/** Limits that a server reports for a model, in tokens. */
export type ModelLimits = {readonly contextLength?: number; readonly maxOutputTokens?: number};

/** Paths of the context length in list entries of OpenRouter, vLLM, Mistral, Groq, LM Studio, Anthropic, Google and llama.cpp. */
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

/** The limits in such an entry; anything other than a positive whole number is ignored. */
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
