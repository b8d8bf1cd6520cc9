import type {ApiModel} from '../../config/api-settings.ts';
import {mayUseModel, type KeyFacts} from '../../core/api-key.ts';
import {modelDenied, modelNotFound} from './api-error.ts';

/** A model that clients can ask for: its public identifier, and its settings. */
export type PublicModel = ApiModel & {readonly id: string};

/** Returns the current `api.models`. */
export type PublicModels = () => ReadonlyMap<string, ApiModel>;

/** The model with that identifier. @throws ApiError 404 */
export function publicModel(id: string, models: PublicModels): PublicModel {
	const model = models().get(id);
	if (!model) {
		throw modelNotFound(id);
	}

	return {id, ...model};
}

/** Checks that the key may use the model. @throws ApiError 403 */
export function permitModel({id, agent, tools}: PublicModel, key: KeyFacts): void {
	if (!mayUseModel(key, id)) {
		throw modelDenied(id, 'it is not among the models of the key');
	}

	// Keys without the right to agents may use an agent without tools: it changes nothing.
	if (agent && tools && !key.agents) {
		const why = 'it is an agent, and the key may not let agents act (svc keys create --agents yes)';
		throw modelDenied(id, why);
	}
}
