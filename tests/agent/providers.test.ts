import {generateText} from 'ai';
import {expect, test} from 'vitest';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import {loadModel, type ModelSpec} from '../../source/agent/providers.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';

// As the runner does, which these tests go without.
globalThis.AI_SDK_LOG_WARNINGS = false;

const call = async (spec: ModelSpec) => {
	await using modelFetch = createModelFetch();
	const model = await loadModel(spec, {fetch: modelFetch.fetch});
	return await generateText({model, prompt: 'Hello', maxRetries: 0});
};

const anthropicAnswer = JSON.stringify({
	id: 'msg_1',
	type: 'message',
	role: 'assistant',
	model: 'x',
	content: [{type: 'text', text: 'Hi'}],
	stop_reason: 'end_turn',
	stop_sequence: null,
	usage: {input_tokens: 1, output_tokens: 1},
});

const googleAnswer = JSON.stringify({
	candidates: [{content: {role: 'model', parts: [{text: 'Hi'}]}, finishReason: 'STOP'}],
	usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2},
});

test.for([
	{
		provider: 'openai-compatible',
		answer: {text: 'Hi'},
		url: '/v1/chat/completions',
		header: 'authorization',
		value: 'Bearer key-1',
	},
	{
		provider: 'openai',
		answer: {text: 'Hi'},
		url: '/v1/chat/completions',
		header: 'authorization',
		value: 'Bearer key-1',
	},
	{
		provider: 'anthropic',
		answer: {garbage: anthropicAnswer},
		url: '/v1/messages',
		header: 'x-api-key',
		value: 'key-1',
	},
	{
		provider: 'google',
		answer: {garbage: googleAnswer},
		url: '/v1/models/x:generateContent',
		header: 'x-goog-api-key',
		value: 'key-1',
	},
] as const)(
	'$provider is called at base_url with the key',
	async ({provider, answer, url, header, value}) => {
		await using server = await startScriptedModel([answer]);

		const {text} = await call({provider, name: 'x', baseUrl: server.baseUrl, apiKey: 'key-1'});

		expect(text).toBe('Hi');
		expect(server.requests[0]).toMatchObject({url, headers: {[header]: value}});
	},
);

test('without a key no authorization is sent, whatever the environment of the process holds', async () => {
	await using server = await startScriptedModel([{text: 'Hi'}]);

	await call({provider: 'openai-compatible', name: 'x', baseUrl: server.baseUrl});

	expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('a redirect is not followed: the key would go along', async () => {
	await using other = await startScriptedModel([{text: 'Hi'}]);
	await using server = await startScriptedModel([
		{status: 307, headers: {location: `${other.baseUrl}/messages`}},
	]);

	await expect(
		call({provider: 'anthropic', name: 'x', baseUrl: server.baseUrl, apiKey: 'key-1'}),
	).rejects.toMatchObject({statusCode: 307});
	expect(other.requests).toEqual([]);
});
