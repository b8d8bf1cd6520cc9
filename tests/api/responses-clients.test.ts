import {createOpenAI} from '@ai-sdk/openai';
import {APICallError, generateText, isStepCount, jsonSchema, streamText, tool} from 'ai';
import {describe, expect, test} from 'vitest';
import {
	chunkOf,
	lastEvent,
	sendCompletion,
	sendStream,
	usageChunk,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {startRelay} from '../helpers/relay.ts';

// It would tell the terminal that it cannot send thoughts back.
globalThis.AI_SDK_LOG_WARNINGS = false;

const called = {
	id: 'a',
	type: 'function',
	function: {name: 'look', arguments: '{"at":"x"}'},
};

/** A model that thinks, says so, and calls a tool when it has one and has not called it yet. */
function answer(request: UpstreamRequest): void {
	const {messages, tools, stream} = request.body as {
		messages: ReadonlyArray<{role: string; content: string | null}>;
		tools?: unknown;
		stream: boolean;
	};
	const result = messages.find(({role}) => role === 'tool')?.content;
	const calls = tools !== undefined && result === undefined;
	const content = result === undefined ? 'Paris' : `I saw ${result}`;
	if (stream && calls) {
		sendStream(
			request,
			chunkOf({reasoning_content: 'I must look'}),
			chunkOf({content: 'One moment'}),
			chunkOf({tool_calls: [{index: 0, ...called}]}),
			chunkOf({}, {finishReason: 'tool_calls'}),
			usageChunk,
			lastEvent,
		);
	} else if (stream) {
		sendStream(
			request,
			chunkOf({content: content.slice(0, 3)}),
			chunkOf({content: content.slice(3)}, {finishReason: 'stop'}),
			usageChunk,
			lastEvent,
		);
	} else if (calls) {
		sendCompletion(
			request,
			{content: 'One moment', tool_calls: [called]},
			{finishReason: 'tool_calls'},
		);
	} else {
		sendCompletion(request, {content});
	}
}

const tools = {
	look: tool({
		inputSchema: jsonSchema<{at: string}>({
			type: 'object',
			properties: {at: {type: 'string'}},
			required: ['at'],
			additionalProperties: false,
		}),
		execute: ({at}) => `a bird at ${at}`,
	}),
};

describe("the AI SDK's default model of OpenAI", () => {
	test('gets texts and works a turn with a tool, in one piece and as a stream', async () => {
		await using relay = await startRelay(answer);
		const model = createOpenAI({baseURL: `${relay.api.url}/v1`, apiKey: relay.api.key})('fast');
		const whole = await generateText({model, prompt: 'Where?', maxOutputTokens: 50});
		expect(whole).toMatchObject({text: 'Paris', finishReason: 'stop'});
		expect(whole.usage).toMatchObject({inputTokens: 11, outputTokens: 7});

		// It refers to what it takes for kept, unless it is told that nothing is.
		const turn = {
			model,
			prompt: 'Where?',
			tools,
			stopWhen: isStepCount(3),
			maxRetries: 0,
			providerOptions: {openai: {store: false}},
		};
		const worked = await generateText(turn);
		expect(worked.text).toBe('I saw a bird at x');
		expect(relay.upstream.requests.at(-1)?.body.messages).toMatchObject([
			{role: 'user', content: 'Where?'},
			{role: 'assistant', content: 'One moment', tool_calls: [called]},
			{role: 'tool', tool_call_id: 'a', content: 'a bird at x'},
		]);

		const stream = streamText(turn);
		expect(await stream.text).toBe('I saw a bird at x');
		const [first] = await stream.steps;
		expect(first).toMatchObject({
			text: 'One moment',
			reasoningText: 'I must look',
			finishReason: 'tool-calls',
			toolCalls: [{toolName: 'look', input: {at: 'x'}}],
		});
		// Of both requests.
		expect(await stream.usage).toMatchObject({inputTokens: 22, outputTokens: 14});

		const {providerOptions: _, ...kept} = turn;
		const error: unknown = await generateText(kept).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		expect(APICallError.isInstance(error) ? [error.statusCode, error.message] : error).toEqual([
			400,
			expect.stringContaining('"store": false'),
		]);

		const agent = createOpenAI({baseURL: `${relay.api.url}/v1`, apiKey: relay.api.key})('agent');
		const said = streamText({model: agent, instructions: 'Be brief', prompt: 'Where?'});
		expect(await said.text).toBe('Paris');
	});
});
