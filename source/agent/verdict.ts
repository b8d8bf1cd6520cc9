import type {FinishReason} from 'ai';
import {SvcError} from '../core/errors.ts';
import {nameModel, type AskedModel} from './model-errors.ts';

/** How the loop ended. */
export type Ending = {
	readonly text: string;
	readonly finishReason: FinishReason;
	/** Tool calls of the last step, whose results the model has not read. */
	readonly pendingCalls: number;
	readonly steps: number;
};

/**
 * Why `ending` is no answer, or `undefined` when it is one: `step_limit`, `model_rejected` (a content filter), `model_failed` (it
 * ended in an error), `model_garbled` (it stopped within a tool call, or said nothing). An answer cut by the output limit counts as one.
 */
export function problemOfEnding(
	{text, finishReason, pendingCalls, steps}: Ending,
	{maxSteps, asked}: {readonly maxSteps: number; readonly asked: AskedModel},
): SvcError | undefined {
	const model = nameModel(asked);
	if (pendingCalls > 0 && steps >= maxSteps) {
		const why = `Cannot finish the run within ${maxSteps} steps: ${model} still wanted to call tools; raise runs.max_steps`;
		return new SvcError('step_limit', why);
	}

	if (finishReason === 'content-filter') {
		return new SvcError('model_rejected', `Cannot use ${model}: a content filter ended its answer`);
	}

	if (finishReason === 'error' || finishReason === 'interrupted') {
		return new SvcError('model_failed', `Cannot use ${model}: its answer ended in an error`);
	}

	const isEmpty = text.trim() === '';
	if (pendingCalls > 0 || isEmpty) {
		const why = pendingCalls > 0 ? 'it stopped in the middle of a tool call' : 'it said nothing';
		return new SvcError('model_garbled', `Cannot read the answer of ${model}: ${why}`);
	}

	return undefined;
}
