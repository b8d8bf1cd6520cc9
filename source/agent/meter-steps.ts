import type {LanguageModelMiddleware} from 'ai';
import {estimatedTokens, textBytesIn} from '../core/bounds.ts';
import {countedOr, spokenOr} from '../core/usage.ts';
import type {Generated, ModelCallOptions} from './language-model.ts';
import type {AgentRequest} from './runner.ts';

/**
 * Asks before each call of the model whether it may be made and how long its answer may be, and corrects what the server counts of it: a count that cannot be true, such as
 * 2^53 − 1, or 0 or 1 for a long text, becomes an estimate. What the server does not count stays uncounted.
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
