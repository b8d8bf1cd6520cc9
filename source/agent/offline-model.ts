import {charactersPerToken, estimatedTokens} from '../core/bounds.ts';
import {
	digestFetched,
	digestMessage,
	digestOutcomes,
	toolLinesIn,
	type ToolLine,
	type ToolOutcome,
} from './offline-digest.ts';
import type {ModelCallOptions, Generated, LanguageModelV4, StreamPart} from './providers.ts';
import {noSuchTool} from './record-steps.ts';

/** Public name of the offline model. */
export const offlineModelName = 'svc-offline-1';

/** The beginning of every answer of the offline model. @see manual/model.md#how-it-is-chosen */
const offlineLabel = '[svc-offline: no language model is configured; this is a rule-based digest]';

type Message = ModelCallOptions['prompt'][number];
type ToolMessage = Extract<Message, {role: 'tool'}>;
type ToolOutput = Extract<ToolMessage['content'][number], {type: 'tool-result'}>['output'];

const tokensIn = (text: string) => estimatedTokens(text.length);

const textsOf = ({role, content}: Message): readonly string[] =>
	role === 'system' ? [content] : content.map(part => (part.type === 'text' ? part.text : ''));

const textOf = (message: Message): string => textsOf(message).join('');

function outcomeOf(name: string, output: ToolOutput): ToolOutcome {
	switch (output.type) {
		case 'text':
		case 'error-text':
			return {name, failed: output.type === 'error-text', text: output.value};

		case 'json':
		case 'error-json':
			return {name, failed: output.type === 'error-json', text: JSON.stringify(output.value)};

		case 'execution-denied':
			return {name, failed: true, text: output.reason ?? 'it was denied'};

		case 'content': {
			const text = output.value.map(part => (part.type === 'text' ? part.text : '')).join('');
			return {name, failed: false, text};
		}
	}
}

const outcomesIn = (
	messages: ModelCallOptions['prompt'],
	tools: readonly string[],
): readonly ToolOutcome[] =>
	messages
		.filter((message): message is ToolMessage => message.role === 'tool')
		.flatMap(({content}) => content)
		.flatMap(part => {
			if (part.type !== 'tool-result') {
				return [];
			}

			const {toolName: name, output} = part;
			return tools.includes(name)
				? [outcomeOf(name, output)]
				: [{name, failed: true, text: noSuchTool(name, tools)}];
		});

const usageOf = (inputTokens: number, outputTokens: number): Generated['usage'] => ({
	inputTokens: {
		total: inputTokens,
		noCache: inputTokens,
		cacheRead: undefined,
		cacheWrite: undefined,
	},
	outputTokens: {total: outputTokens, text: outputTokens, reasoning: undefined},
});

const callTools = (lines: readonly ToolLine[], inputTokens: number): Generated => ({
	content: lines.map(({name, input}, index) => ({
		type: 'tool-call',
		toolCallId: `offline-${index + 1}`,
		toolName: name,
		input,
	})),
	finishReason: {unified: 'tool-calls', raw: undefined},
	usage: usageOf(inputTokens, tokensIn(lines.map(({name, input}) => name + input).join(''))),
	warnings: [],
});

function answerWith(digest: string, inputTokens: number, maxOutputTokens?: number): Generated {
	const {text, finishReason, outputTokens} = digestWithin(digest, maxOutputTokens);
	return {
		content: [{type: 'text', text}],
		finishReason: {unified: finishReason, raw: undefined},
		usage: usageOf(inputTokens, outputTokens),
		warnings: [],
	};
}

/** Answers a conversation of texts: a digest of the last user message, in at most `maxTokens`. */
export function answerOffline(
	messages: ReadonlyArray<{readonly role: string; readonly text: string}>,
	maxTokens?: number,
): {
	readonly text: string;
	readonly finishReason: 'stop' | 'length';
	readonly inputTokens: number;
	readonly outputTokens: number;
} {
	const inputTokens = tokensIn(messages.map(({text}) => text).join(''));
	const asked = messages.findLast(({role}) => role === 'user')?.text ?? '';
	return {...digestWithin(digestMessage(asked), maxTokens), inputTokens};
}

function digestWithin(digest: string, maxOutputTokens = Infinity) {
	const whole = `${offlineLabel}\n\n${digest}`;
	const text = whole.slice(0, maxOutputTokens * charactersPerToken);
	return {
		text,
		finishReason: text.length < whole.length ? ('length' as const) : ('stop' as const),
		outputTokens: tokensIn(text),
	};
}

function generate({prompt, tools = [], maxOutputTokens, abortSignal}: ModelCallOptions): Generated {
	abortSignal?.throwIfAborted();
	const inputTokens = tokensIn(prompt.map(textOf).join(''));
	const asked = prompt.findLastIndex(({role}) => role === 'user');
	const message = prompt[asked];
	// Text after the prompt comes from strangers: none of its lines calls a tool.
	const [text = '', ...fetched] = message ? textsOf(message) : [];
	const outcomes = outcomesIn(
		prompt.slice(asked + 1),
		tools.map(({name}) => name),
	);
	if (outcomes.length > 0) {
		return answerWith(digestOutcomes(outcomes), inputTokens, maxOutputTokens);
	}

	const lines = toolLinesIn(text);
	return lines.length > 0
		? callTools(lines, inputTokens)
		: answerWith(
				[digestMessage(text), ...fetched.map(digestFetched)].join('\n'),
				inputTokens,
				maxOutputTokens,
			);
}

function* partsOf({content, finishReason, usage, warnings}: Generated): Generator<StreamPart> {
	yield {type: 'stream-start', warnings};
	for (const part of content) {
		if (part.type === 'text') {
			yield {type: 'text-start', id: 'text'};
			yield {type: 'text-delta', id: 'text', delta: part.text};
			yield {type: 'text-end', id: 'text'};
		} else if (part.type === 'tool-call') {
			yield part;
		}
	}

	yield {type: 'finish', finishReason, usage};
}

/**
 * The model for a machine that has none: an honest engine of rules behind the SDK's contract. Deterministic. Lines
 * `/tool <name> {json}` of the user message become real tool calls, after which the answer is a digest of their results; any other
 * message gets a digest of itself. Honours `maxOutputTokens` (four characters each, finish reason `length`) and the signal.
 *
 * @see manual/model.md#how-it-is-chosen
 */
export const createOfflineModel = (): LanguageModelV4 => ({
	specificationVersion: 'v4',
	provider: 'offline',
	modelId: offlineModelName,
	supportedUrls: {},
	doGenerate: async options => generate(options),
	doStream: async options => ({stream: ReadableStream.from(partsOf(generate(options)))}),
});
