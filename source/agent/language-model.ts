import type {LanguageModel} from 'ai';

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
