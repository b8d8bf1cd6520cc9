import type {LanguageModelCallEndEvent, LanguageModelMiddleware} from 'ai';
import {estimatedTokens, textBytesIn} from '../core/bounds.ts';
import {messageOf, SvcError} from '../core/errors.ts';
import {nearestName} from '../core/names.ts';
import {
	type WorkDone,
	addUsage,
	usageOf,
	type ModelPrice,
	type Usage,
	countedOr,
	spokenOr,
} from '../core/run.ts';
import type {ToolFrom, Tool} from '../core/tool.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {Transcript} from './gather-parts.ts';
import type {Generated, ModelCallOptions} from './providers.ts';
import type {AgentRequest} from './runner.ts';

/** Maximum number of tool calls per run: beyond it, the model is running wild. */
const maxToolCalls = 256;

const maxIdLength = 100;

/** Facts that link a call and its result in a transcript. The names come from a model, so they are cleaned and limited. `tool`: the called tool, if it exists. */
export const callFacts = (
	call: {readonly toolName: string; readonly toolCallId: string},
	tool: Tool | undefined,
) => ({
	tool: escapeLine(call.toolName, maxIdLength),
	call: escapeLine(call.toolCallId, maxIdLength),
	...(tool?.asked && fromFacts(tool.asked.from)),
});

/** The origin of a tool, for metrics and clients. */
function fromFacts(from: ToolFrom) {
	switch (from.kind) {
		case 'server':
			return {server: escapeLine(from.server, maxIdLength)};

		case 'built-in':
			return {builtIn: true};
	}
}

type StepRecorder = {
	/** Number of tool calls that the model has made so far. */
	toolCalls(): number;
	/** The text of the model's last answer. */
	said(): string;
	/** A callback of the SDK, after each call of the model. */
	readonly onLanguageModelCallEnd: (
		event: Pick<LanguageModelCallEndEvent, 'content' | 'finishReason' | 'usage'>,
	) => void;
};

/**
 * Records the model's text and tool calls; calls that cannot be executed (no such tool, invalid JSON) get their result here too. Ends the run with `step_limit` beyond 256
 * calls.
 */
export function createStepRecorder({
	tools,
	transcript,
	price,
	onWork,
	end,
}: {
	readonly tools: readonly Tool[];
	readonly transcript: Transcript;
	readonly price: ModelPrice | undefined;
	readonly onWork: (work: Omit<WorkDone, 'model'>) => void;
	readonly end: (error: SvcError) => void;
}): StepRecorder {
	const byName = new Map(tools.map(tool => [tool.name, tool]));
	let toolCalls = 0;
	let said = '';
	let used: Usage | undefined;
	return {
		toolCalls: () => toolCalls,
		said: () => said,
		onLanguageModelCallEnd({content, finishReason, usage}) {
			const text = content.map(part => (part.type === 'text' ? part.text : '')).join('');
			said = text;
			if (text !== '') {
				transcript.add('text', text, {
					finishReason,
					inputTokens: usage.inputTokens ?? 0,
					outputTokens: usage.outputTokens ?? 0,
				});
			}

			for (const part of content.filter(one => one.type === 'tool-call')) {
				toolCalls++;
				const facts = callFacts(part, byName.get(part.toolName));
				transcript.add('tool-call', JSON.stringify(part.input) ?? '', facts);
				if (part.invalid) {
					const problem = byName.has(part.toolName)
						? messageOf(part.error)
						: noSuchTool(part.toolName, [...byName.keys()]);
					transcript.add('tool-result', problem, {...facts, ok: false});
				}
			}

			const {inputTokens, outputTokens} = usage;
			if (inputTokens !== undefined || outputTokens !== undefined) {
				used = addUsage(used, usageOf(inputTokens ?? 0, outputTokens ?? 0, price));
			}

			onWork({toolCalls, ...(used && {usage: used})});
			if (toolCalls > maxToolCalls) {
				const why = `Cannot finish the run: the model asked for more than ${maxToolCalls} tool calls`;
				end(new SvcError('step_limit', why));
			}
		},
	};
}

/** Calls `onRetry` with the failure before the SDK retries a call of the model; `attempt` is 2 for the first retry. */
export function recordRetries(
	onRetry: (failure: unknown, attempt: number) => void,
): LanguageModelMiddleware {
	let failures = 0;
	let last: unknown;
	return {
		specificationVersion: 'v4',
		async wrapGenerate({doGenerate}) {
			if (failures > 0) {
				onRetry(last, failures + 1);
			}

			try {
				const generated = await doGenerate();
				failures = 0;
				return generated;
			} catch (error) {
				failures++;
				last = error;
				throw error;
			}
		},
	};
}

const named = 5;
const maxNameLength = 100;

/** The message about a call of a missing tool, with the probably intended one of `all` and the first five of `tools`. */
export function noSuchTool(
	name: string,
	tools: readonly string[],
	all: readonly string[] = tools,
): string {
	const shown = escapeLine(name, maxNameLength);
	if (tools.length === 0) {
		return `There is no tool "${shown}": this run has none`;
	}

	const near = nearestName(name, all);
	const meant = near === undefined ? '' : ` (did you mean "${near}"?)`;
	const more = tools.length > named ? ` and ${tools.length - named} more` : '';
	return `There is no tool "${shown}"${meant}: this run has ${tools.slice(0, named).join(', ')}${more}`;
}

/**
 * Calls `beforeStep` before each call of the model, which may deny it or limit its answer, and corrects impossible counts of the server, such as 2^53 − 1, or 0 or 1 for a
 * long text: they are replaced by an estimate. What the server does not count stays uncounted.
 */
export const meterSteps = ({
	beforeStep,
	afterStep,
}: Pick<AgentRequest, 'beforeStep' | 'afterStep'>): LanguageModelMiddleware => ({
	specificationVersion: 'v4',
	async transformParams({params}) {
		const most = beforeStep?.(promptTokens(params));
		return most === undefined ? params : {...params, maxOutputTokens: most};
	},
	async wrapGenerate({doGenerate, params}) {
		const generated = await doGenerate();
		const {usage} = generated;
		const input = countedOr(usage.inputTokens.total, () => promptTokens(params));
		const output = spokenOr(usage.outputTokens.total, answerTokens(generated));
		afterStep?.({inputTokens: input, outputTokens: output});
		return {
			...generated,
			usage: {
				...usage,
				inputTokens: withTotal(usage.inputTokens, input),
				outputTokens: withTotal(usage.outputTokens, output),
			},
		};
	},
});

const withTotal = <Counts extends {total: number | undefined}>(
	counts: Counts,
	total: number,
): Counts => (counts.total === undefined ? counts : {...counts, total});

const promptTokens = ({prompt, tools}: ModelCallOptions): number =>
	estimatedTokens(
		textBytesIn(prompt) + (tools?.length ? Buffer.byteLength(JSON.stringify(tools)) : 0),
	);

const answerTokens = ({content}: Generated): number =>
	estimatedTokens(content.reduce((sum, part) => sum + bytesOf(part), 0));

const bytesOf = (part: Generated['content'][number]): number =>
	part.type === 'text' || part.type === 'reasoning'
		? Buffer.byteLength(part.text)
		: part.type === 'tool-call'
			? Buffer.byteLength(part.toolName + part.input)
			: 0;
