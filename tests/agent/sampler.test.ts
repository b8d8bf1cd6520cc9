import {expect, test} from 'vitest';
import type {ChosenModel} from '../../source/agent/choose-model.ts';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import {loadModel} from '../../source/agent/providers.ts';
import {createSampler} from '../../source/agent/sampler.ts';
import type {SampleRequest} from '../../source/core/bounds.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {apiKey} from './agent-fixture.ts';

const open = (baseUrl: string) => {
	const modelFetch = createModelFetch();
	const asked: Array<string | undefined> = [];
	const sample = createSampler({
		async model(name = 'scripted-1'): Promise<ChosenModel> {
			asked.push(name);
			return {
				view: {provider: 'openai-compatible', name, origin: 'configured'},
				host: new URL(baseUrl).host,
				load: async () =>
					loadModel(
						{provider: 'openai-compatible', name, apiKey, baseUrl},
						{fetch: modelFetch.fetch},
					),
			};
		},
		redact: text => text.replaceAll(apiKey, '***'),
	});
	return {
		asked,
		sample: async (request: Partial<SampleRequest>) =>
			sample({
				server: 'crm',
				messages: [{role: 'user', text: 'Who is Ann?'}],
				maxTokens: 100,
				signal: new AbortController().signal,
				...request,
			}),
		[Symbol.asyncDispose]: () => modelFetch[Symbol.asyncDispose](),
	};
};

test('a server that repeats the key of the gateway does not give it to the tool server', async () => {
	await using model = await startScriptedModel([{text: `You sent ${apiKey}`}]);
	await using sampler = open(model.baseUrl);

	expect(await sampler.sample({})).toMatchObject({text: 'You sent ***'});
});

test('a tool server’s question goes to the model with its bounds, without tools, as words of the server', async () => {
	await using model = await startScriptedModel([{text: 'A customer'}]);
	await using sampler = open(model.baseUrl);

	const answer = await sampler.sample({
		system: 'Be brief',
		messages: [
			{role: 'user', text: 'Who is Ann?'},
			{role: 'assistant', text: 'Which one?'},
			{role: 'user', text: 'Of Acme'},
		],
		maxTokens: 64,
		temperature: 0.2,
		stopSequences: ['END'],
	});

	expect(answer).toEqual({text: 'A customer', model: 'scripted-1', stopReason: 'endTurn'});
	const {body} = await model.request(0);
	expect(body).toMatchObject({max_tokens: 64, temperature: 0.2, stop: ['END']});
	expect(body).not.toHaveProperty('tools');
	expect(body.messages.map(({role}: {role: string}) => role)).toEqual([
		'system',
		'user',
		'assistant',
		'user',
	]);
	expect(body.messages[0].content).toMatch(
		/^The tool server "crm" asks\. .* not by the operator[^]*Be brief$/,
	);
});

test('an answer that was cut says so; an allowed model is asked by its name', async () => {
	await using model = await startScriptedModel([{text: 'A custo', finishReason: 'length'}]);
	await using sampler = open(model.baseUrl);

	expect(await sampler.sample({model: 'small-1'})).toEqual({
		text: 'A custo',
		model: 'small-1',
		stopReason: 'maxTokens',
	});
	expect(sampler.asked).toEqual(['small-1']);
});

test('a failure is one redacted sentence, after one try', async () => {
	await using model = await startScriptedModel([{status: 500, message: `no ${apiKey}`}]);
	await using sampler = open(model.baseUrl);

	const failed = sampler.sample({});

	await expect(failed).rejects.toMatchObject({code: 'model_failed'});
	await expect(failed).rejects.not.toThrow(apiKey);
	expect(model.requests).toHaveLength(1);
});

test('a question that is cancelled ends at once', async () => {
	await using model = await startScriptedModel([{hang: true}]);
	await using sampler = open(model.baseUrl);
	const controller = new AbortController();

	const asked = sampler.sample({signal: controller.signal});
	const {closed} = await model.request(0);
	controller.abort(new Error('the server is gone'));

	await expect(asked).rejects.toThrow('the server is gone');
	expect(await closed).toBe(true);
});
