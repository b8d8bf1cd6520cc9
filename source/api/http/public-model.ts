import type {ApiModel} from '../../config/api-settings.ts';
import {mayUseModel, type KeyFacts} from '../../core/api-key.ts';
import {modelDenied, modelNotFound} from './api-error.ts';

/** A model that clients ask for: its public identifier, and what answers. */
export type PublicModel = ApiModel & {readonly id: string};

/** `api.models` as it is now. */
export type PublicModels = () => ReadonlyMap<string, ApiModel>;

/** The model with that identifier. @throws ApiError 404 */
export function publicModel(id: string, models: PublicModels): PublicModel {
	const model = models().get(id);
	if (!model) {
		throw modelNotFound(id);
	}

	return {id, ...model};
}

/** Whether the key may use the model. @throws ApiError 403 */
export function permitModel({id, agent, tools}: PublicModel, key: KeyFacts): void {
	if (!mayUseModel(key, id)) {
		throw modelDenied(id, 'it is not among the models of the key');
	}

	// An agent without tools changes nothing: it writes a title.
	if (agent && tools && !key.agents) {
		const why = 'it is an agent, and the key may not let agents act (svc keys create --agents yes)';
		throw modelDenied(id, why);
	}
}
