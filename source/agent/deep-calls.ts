import type {LanguageModelMiddleware} from 'ai';
import {SvcError} from '../core/errors.ts';
import {maxJsonDepth, isDeepJson} from '../core/json.ts';
import {nameModel, type AskedModel} from './model-errors.ts';

/**
 * Ends the run with `model_garbled` when a tool call has arguments that are nested more than 128 levels deep: they could not be written down, and the
 * tool would start without a trace.
 */
export const refuseDeepCalls = (asked: AskedModel): LanguageModelMiddleware => ({
	specificationVersion: 'v4',
	async wrapGenerate({doGenerate}) {
		const generated = await doGenerate();
		if (generated.content.some(part => part.type === 'tool-call' && isDeepJson(part.input))) {
			throw new SvcError(
				'model_garbled',
				`Cannot read the answer of ${nameModel(asked)}: the arguments of a tool call are nested more than ${maxJsonDepth} levels deep`,
			);
		}

		return generated;
	},
});
