import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {type KeyFacts, mayUseModel} from '../core/api-key.ts';
import {type ApprovalDesk, approvalEndpoints} from './approvals.ts';
import {chatEndpoint} from './chat/chat-endpoint.ts';
import type {ChatWorld} from './chat/chat-world.ts';
import {needOf, serveChat, withBound} from './chat/serve-chat.ts';
import {type Endpoint, endpoint} from './http/endpoint.ts';
import {
	permitModel,
	publicModel,
	type PublicModel,
	type PublicModels,
} from './http/public-model.ts';
import {createOutput} from './responses/response-output.ts';
import {readResponseRequest, type ResponseRequest} from './responses/response-request.ts';
import {createResource} from './responses/response-shapes.ts';
import {createResponseStream} from './responses/response-stream.ts';

/** All endpoints of the API; `openapi.yaml` describes them. */
export const endpointsOf = (
	world: ModelFacts & ChatWorld & {readonly approvals: ApprovalDesk},
): readonly Endpoint[] => [
	...modelEndpoints(world),
	chatEndpoint(world),
	responsesEndpoint(world),
	...approvalEndpoints(world.approvals),
	openApiEndpoint(),
];

/** Limits reported by a model's server, in tokens. */
type KnownLimits = {readonly contextLength?: number; readonly maxOutputTokens?: number};

/** What these endpoints need from the rest of the program. */
type ModelFacts = {
	readonly models: PublicModels;
	/** Cached answers of the model's server; empty if unknown. Never rejects. */
	readonly limitsOf: (model: PublicModel) => Promise<KnownLimits>;
	/** When the gateway started, milliseconds since 1970: the only date that models have. */
	readonly startedAt: number;
};

/** `GET /v1/models` and `GET /v1/models/{id}`: the models that the key may use. @see manual/chat-api.md#models */
const modelEndpoints = (facts: ModelFacts): readonly Endpoint[] => [
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
		// An agent's tools only accept text; what a relay accepts depends on its server.
		...(model.agent && {input_modalities: ['text'], output_modalities: ['text']}),
	};
}

/** The location of the file relative to the source, and relative to the bundle. */
const places = ['../manual/openapi.yaml', './manual/openapi.yaml'];

/** `GET /openapi.yaml`, without a key. @see manual/chat-api.md#endpoints */
const openApiEndpoint = (): Endpoint =>
	endpoint({
		method: 'GET',
		path: '/openapi.yaml',
		prepare: () => undefined,
		async serve() {
			const file = places
				.map(place => fileURLToPath(new URL(place, import.meta.url)))
				.find(existsSync);
			if (file === undefined) {
				throw new Error('The file openapi.yaml is missing in this installation');
			}

			return {text: await readFile(file, 'utf8'), contentType: 'application/yaml; charset=utf-8'};
		},
	});

/** `POST /v1/responses`: a chat completion in another shape; nothing is stored. @see manual/chat-api.md#responses */
const responsesEndpoint = (world: ChatWorld): Endpoint =>
	endpoint<ResponseRequest>({
		method: 'POST',
		path: '/v1/responses',
		scope: 'responses',
		prepare: ({body}) => readResponseRequest(body, world.models),
		permit: ({model}, key) => permitModel(model, key),
		need: needOf,
		async serve(request, call) {
			const {clock} = world;
			const {names} = request;
			const resource = createResource(request, clock.now());
			return serveChat({request: withBound(request, call.bound), call}, world, {
				whole({message, finishReason: reason, usage}) {
					const items = createOutput(names, () => {});
					items.add(message);
					const output = items.end(reason);
					return resource({status: 'ended', reason, output, usage, at: clock.now()});
				},
				stream: open => createResponseStream({clock, resource, names, open}),
			});
		},
	});
