import {endpoint, type Endpoint} from '../http/endpoint.ts';
import {permitModel} from '../http/public-model.ts';
import {turnMessages} from '../shapes/chat-messages.ts';
import {answerHead, completion, createChunks} from '../shapes/chat-shapes.ts';
import {readChatRequest, type ChatRequest} from './chat-request.ts';
import type {ChatWorld} from './chat-world.ts';
import {createLateStream} from './late-stream.ts';
import {needOf, serveChat, withBound} from './serve-chat.ts';
import {openSessionTurn} from './session-turn.ts';

/** `POST /v1/chat/completions`. @see manual/chat-api.md#requests */
export const chatEndpoint = (world: ChatWorld): Endpoint =>
	endpoint<ChatRequest>({
		method: 'POST',
		path: '/v1/chat/completions',
		scope: 'chat',
		prepare({body}) {
			const request = readChatRequest(body, world.models);
			if (request.model.agent) {
				turnMessages(body['messages']);
			}

			return request;
		},
		permit: ({model}, key) => permitModel(model, key),
		need: needOf,
		async serve(request, call) {
			const {clock} = world;
			const {includesUsage} = request;
			const head = answerHead(request.model.id, clock.now());
			// Nothing is used before a model is asked.
			call.settle({inputTokens: 0, outputTokens: 0});
			await using session = await openSessionTurn(world.sessions, request, call);
			// The session's earlier messages go to the model again, so the request now needs more than reserved.
			const bound =
				session.request === request ? call.bound : call.reserve(needOf(session.request));
			const asked = {request: withBound(session.request, bound), call, session};
			const chunks = createChunks(head, {includesUsage});
			return await serveChat(asked, world, {
				whole: answer => completion(head, answer),
				stream: open => createLateStream({clock, chunks, includesUsage, open}),
			});
		},
	});
