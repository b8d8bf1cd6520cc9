import {
	chunkOf,
	lastEvent,
	sendCompletion,
	sendJson,
	sendStream,
	usageChunk,
	type UpstreamRequest,
} from './chat-upstream.ts';

/** What it calls. */
export const cityCall = {name: 'look', arguments: '{"at":"x"}'};

/** A model that says "Paris"; it calls its tool first when it has one and has not called it yet, and refuses what says "fail". */
export function answerWithCity(request: UpstreamRequest): void {
	const {body} = request;
	const messages = body.messages as ReadonlyArray<{role: string; content: unknown}>;
	const [tool] = (body.tools ?? []) as ReadonlyArray<{function: {name: string}}>;
	const calls = tool !== undefined && !messages.some(({role}) => role === 'tool');
	const call = {...cityCall, name: tool?.function.name ?? ''};
	if (messages.some(({content}) => JSON.stringify(content).includes('fail'))) {
		sendJson(request.response, 400, {error: {message: 'No', code: 'too_long', param: 'messages'}});
	} else if (body.stream === true && calls) {
		sendStream(
			request,
			chunkOf({
				tool_calls: [{id: 'a', type: 'function', function: {name: call.name, arguments: ''}}],
			}),
			chunkOf({tool_calls: [{function: {arguments: call.arguments}}]}),
			chunkOf({}, {finishReason: 'tool_calls'}),
			usageChunk,
			lastEvent,
		);
	} else if (body.stream === true) {
		sendStream(
			request,
			chunkOf({content: 'Par'}),
			chunkOf({content: 'is'}, {finishReason: 'stop'}),
			usageChunk,
			lastEvent,
		);
	} else if (calls) {
		sendCompletion(
			request,
			{content: null, tool_calls: [{id: 'a', type: 'function', function: call}]},
			{finishReason: 'tool_calls'},
		);
	} else {
		sendCompletion(request, {content: 'Paris'});
	}
}
