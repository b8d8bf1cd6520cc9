import type {ChatWorld} from '../chat/chat-world.ts';
import {needOf, serveChat, withBound} from '../chat/serve-chat.ts';
import {endpoint, type Endpoint} from '../http/endpoint.ts';
import {permitModel} from '../http/public-model.ts';
import {createOutput} from './response-output.ts';
import {readResponseRequest, type ResponseRequest} from './response-request.ts';
import {createResource} from './response-shapes.ts';
import {createResponseStream} from './response-stream.ts';

/** `POST /v1/responses`: a chat completion in other words, of which nothing is kept. @see manual/chat-api.md#responses */
export const responsesEndpoint = (world: ChatWorld): Endpoint =>
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
