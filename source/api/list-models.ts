import {type KeyFacts, mayUseModel} from '../core/api-key.ts';
import {endpoint, type Endpoint} from './http/endpoint.ts';
import {
	permitModel,
	publicModel,
	type PublicModel,
	type PublicModels,
} from './http/public-model.ts';

/** What the server of a model says of it, where it says so. Tokens. */
export type KnownLimits = {readonly contextLength?: number; readonly maxOutputTokens?: number};

/** What is asked of the rest of the program. */
export type ModelFacts = {
	readonly models: PublicModels;
	/** Asked of the server of the model at most now and then; without an answer nothing is known. Never rejects. */
	readonly limitsOf: (model: PublicModel) => Promise<KnownLimits>;
	/** When the gateway started, milliseconds since 1970: models have no other date. */
	readonly startedAt: number;
};

/** `GET /v1/models` and `GET /v1/models/{id}`: those that the key may use. @see manual/chat-api.md#models */
export const modelEndpoints = (facts: ModelFacts): readonly Endpoint[] => [
	endpoint({
		method: 'GET',
		path: '/v1/models',
		scope: 'models',
		prepare: () => undefined,
		async serve(_, {key}) {
			const models = [...facts.models()]
				.map(([id, model]) => ({id, ...model}))
				.filter(model => isFor(key, model));
			const data = await Promise.all(models.map(async model => modelEntry(model, facts)));
			return {json: {object: 'list', data}};
		},
	}),
	endpoint({
		method: 'GET',
		path: '/v1/models/{id}',
		scope: 'models',
		prepare: ({rest}) => publicModel(rest, facts.models),
		permit: permitModel,
		serve: async model => ({json: await modelEntry(model, facts)}),
	}),
];

const isFor = (key: KeyFacts, {id, agent, tools}: PublicModel): boolean =>
	mayUseModel(key, id) && (key.agents || !(agent && tools));

async function modelEntry(model: PublicModel, {limitsOf, startedAt}: ModelFacts) {
	const known = await limitsOf(model);
	const contextLength = model.contextLength ?? known.contextLength;
	const maxOutputTokens = model.maxOutputTokens ?? known.maxOutputTokens;
	return {
		id: model.id,
		object: 'model',
		created: Math.trunc(startedAt / 1000),
		owned_by: 'svc',
		...(contextLength !== undefined && {context_length: contextLength}),
		...(maxOutputTokens !== undefined && {max_output_tokens: maxOutputTokens}),
		// An agent's tools take texts; what a relay takes is up to its server.
		...(model.agent && {input_modalities: ['text'], output_modalities: ['text']}),
	};
}
