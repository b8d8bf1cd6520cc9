import {getEventListeners} from 'node:events';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import {askUpstream, type UpstreamReply} from '../../source/api/relay/upstream.ts';
import {createRedact} from '../../source/core/redact.ts';
import {
	beginStream,
	chunkOf,
	sendCompletion,
	sendJson,
	startChatUpstream,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {messages, startRelay} from '../helpers/relay.ts';

const redact = createRedact(() => []);

async function world(answer: (request: UpstreamRequest) => void) {
	await using stack = new AsyncDisposableStack();
	const model = stack.use(createModelFetch());
	const upstream = stack.use(await startChatUpstream(answer));
	const clock = createFakeClock();
	const {signal} = new AbortController();
	const opened = stack.move();
	return {
		upstream,
		ask: async () =>
			askUpstream(
				{
					url: `${upstream.baseUrl}/chat/completions`,
					headers: {},
					model: 'upstream-1',
					limitField: 'max_tokens',
					post: async (url, question) => model.post(url, question),
				},
				{},
				{clock, redact, signal},
			),
		left: () => ({listeners: getEventListeners(signal, 'abort').length, timers: clock.timersLeft}),
		[Symbol.asyncDispose]: async () => opened.disposeAsync(),
	};
}

const readAll = async (reply: UpstreamReply) => {
	while ((await reply.read()) !== undefined);
};

test('a server that was asked leaves no timer and no listener behind, whatever it answers', async () => {
	let isRefused = false;
	await using asked = await world(request => {
		if (isRefused) {
			sendJson(request.response, 500, {});
		} else {
			sendCompletion(request, {content: 'Paris'});
		}
	});
	{
		using reply = await asked.ask();
		await readAll(reply);
	}

	expect(asked.left()).toEqual({listeners: 0, timers: 0});
	isRefused = true;
	await expect(asked.ask()).rejects.toMatchObject({status: 502});
	expect(asked.left()).toEqual({listeners: 0, timers: 0});
});

test('an answer that is not read to its end ends its connection', async () => {
	await using asked = await world(request => {
		beginStream(request, chunkOf({content: 'Par'}));
	});
	{
		using reply = await asked.ask();
		expect(await reply.read()).toContain('Par');
	}

	expect(await asked.upstream.requests[0]?.closed).toBe(true);
	expect(asked.left()).toEqual({listeners: 0, timers: 0});
});

test('a server that has said its last word has five seconds for the rest', async () => {
	const clock = createFakeClock(1_700_000_000_000);
	await using relay = await startRelay(
		request => {
			beginStream(request, chunkOf({content: 'Paris'}), chunkOf({}, {finishReason: 'stop'}));
		},
		{clock},
	);
	const answer = await relay.api.chat({model: 'fast', messages, stream: true});
	const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
	let text = '';
	while (!text.includes('Paris')) {
		text += (await reader?.read())?.value ?? '';
	}

	// Both came in one read of the server's line.
	for (let count = 0; count < 10; count++) {
		await turn();
	}

	clock.advance(5000);
	for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
		text += read.value;
	}

	expect(text).toContain('"finish_reason":"stop"');
	expect(text).toContain('[DONE]');
	expect(await relay.upstream.requests[0]?.closed).toBe(true);
});
