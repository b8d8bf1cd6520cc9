import {describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startApi} from '../helpers/api.ts';
import {
	sendCompletion,
	sendJson,
	startChatUpstream,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {messages, models, startRelay} from '../helpers/relay.ts';
import {faultsOf} from './chat-oracle.ts';

const errorOf = async (answer: Response): Promise<JsonObject> => {
	const body = (await answer.json()) as {error: JsonObject};
	expect(faultsOf('ErrorResponse', body)).toEqual([]);
	return body.error;
};

describe('a chat completion of a relay, in one piece', () => {
	test('is what the server says, under our names', async () => {
		await using relay = await startRelay();
		const {api, upstream} = relay;
		const answer = await api.chat({model: 'fast', messages, temperature: 0.5, user: 'u1'});
		const body = (await answer.json()) as JsonObject;
		expect({status: answer.status, body}).toEqual({
			status: 200,
			body: {
				id: expect.stringMatching(/^chatcmpl_[0-9a-f]{32}$/),
				object: 'chat.completion',
				created: expect.any(Number),
				model: 'fast',
				choices: [
					{
						index: 0,
						message: {role: 'assistant', content: 'Paris', refusal: null},
						logprobs: null,
						finish_reason: 'stop',
					},
				],
				usage: {prompt_tokens: 11, completion_tokens: 7, total_tokens: 18},
			},
		});
		expect(faultsOf('CreateChatCompletionResponse', body)).toEqual([]);
		expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
		expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
		expect(answer.headers.get('x-svc-model-kind')).toBeNull();
		expect(upstream.requests.map(({url}) => url)).toEqual(['/v1/chat/completions']);
		expect(upstream.requests[0]?.headers.authorization).toBe(
			'Bearer sk-upstream-secret-0123456789',
		);
		expect(upstream.requests[0]?.body).toEqual({
			model: 'upstream-1',
			messages,
			temperature: 0.5,
			user: 'u1',
			stream: false,
		});
		const [key] = await api.gateway.port.listKeys();
		expect(key?.usage.all).toEqual({requests: 1, inputTokens: 11, outputTokens: 7});
	});

	test('names the fields that nobody goes by, at most 20 of them, and passes on none', async () => {
		await using relay = await startRelay();
		const {api, upstream} = relay;
		const many = Object.fromEntries(Array.from({length: 30}, (_, index) => [`x${index}`, 1]));
		const answer = await api.chat({
			model: 'fast',
			messages,
			top_k: 4,
			'bad name\r\n': 1,
			store: true,
			nothing: null,
			...many,
		});
		expect(answer.status).toBe(200);
		const names = answer.headers.get('x-svc-ignored-params')?.split(', ');
		expect(names?.slice(0, 3)).toEqual(['top_k', 'store', 'x0']);
		expect(names).toHaveLength(20);
		expect(Object.keys(upstream.requests[0]?.body as JsonObject)).toEqual([
			'messages',
			'model',
			'stream',
		]);
	});

	test('asks for no more than the model may, under the name that was used', async () => {
		await using relay = await startRelay();
		const {api, upstream} = relay;
		await api.chat({model: 'small', messages});
		await api.chat({model: 'small', messages, max_completion_tokens: 500});
		await api.chat({model: 'small', messages, max_tokens: 50, max_completion_tokens: 70});
		expect(upstream.requests.map(({body}) => body as JsonObject)).toMatchObject([
			{model: 'upstream-small', max_tokens: 100},
			{max_completion_tokens: 100},
			{max_tokens: 50, max_completion_tokens: 50},
		]);
		expect(upstream.requests[1]?.body).not.toHaveProperty('max_tokens');
	});

	test('takes calls of tools there and back', async () => {
		await using relay = await startRelay(request => {
			sendCompletion(
				request,
				{
					content: null,
					tool_calls: [
						{id: 'call_7', type: 'function', function: {name: 'look', arguments: '{"a":1}'}},
						{id: '', index: 1, function: {name: 'see', arguments: {b: 2}}},
					],
				},
				{finishReason: 'tool_calls'},
			);
		});
		const {api, upstream} = relay;
		const asked = {
			model: 'fast',
			messages: [
				...messages,
				{
					role: 'assistant',
					content: null,
					tool_calls: [{id: 'call_1', type: 'function', function: {name: 'look', arguments: '{}'}}],
				},
				{role: 'tool', tool_call_id: 'call_1', content: 'seen'},
			],
			tools: [{type: 'function', function: {name: 'look', parameters: {type: 'object'}}}],
			tool_choice: 'auto',
			parallel_tool_calls: false,
		};
		const body = (await (await api.chat(asked)).json()) as JsonObject;
		expect(faultsOf('CreateChatCompletionResponse', body)).toEqual([]);
		expect(body['choices']).toEqual([
			{
				index: 0,
				message: {
					role: 'assistant',
					content: null,
					refusal: null,
					tool_calls: [
						{id: 'call_7', type: 'function', function: {name: 'look', arguments: '{"a":1}'}},
						{
							id: expect.stringMatching(/^call_/),
							type: 'function',
							function: {name: 'see', arguments: '{"b":2}'},
						},
					],
				},
				logprobs: null,
				finish_reason: 'tool_calls',
			},
		]);
		const {model: _model, ...passed} = asked;
		expect(upstream.requests[0]?.body).toMatchObject(passed);
	});

	test('is 502, 503 or 504 where the server fails, and 400 where it does not like the request', async () => {
		const cases: ReadonlyArray<{
			readonly answer: (request: UpstreamRequest) => void;
			readonly is: readonly [number, string];
			readonly says?: RegExp;
			readonly retryAfter?: string;
		}> = [
			...[401, 402, 403].map(status => ({
				answer: ({response}: UpstreamRequest) => {
					sendJson(response, status, {error: {message: 'Incorrect key: sk-upstream-secret-01'}});
				},
				is: [502, 'upstream_error'] as const,
				says: /model\.api_key\)$/,
			})),
			{
				answer({response}) {
					response.setHeader('retry-after', '7');
					sendJson(response, 429, {error: {message: 'Slow down'}});
				},
				is: [503, 'upstream_error'],
				says: /Slow down$/,
				retryAfter: '7',
			},
			{
				answer({response}) {
					response.setHeader('retry-after', '99999999');
					sendJson(response, 503, {error: {message: 'Come again next year'}});
				},
				is: [503, 'upstream_error'],
				retryAfter: '3600',
			},
			{
				answer({response}) {
					sendJson(
						response,
						200,
						`{"choices":[{"message":{"x":${'['.repeat(9000)}${']'.repeat(9000)}}}]}`,
					);
				},
				is: [502, 'upstream_error'],
				says: /nested too deep$/,
			},
			{
				answer({response}) {
					sendJson(response, 404, {error: 'no model "x"'});
				},
				is: [502, 'upstream_error'],
				says: /404 \(model\.name, model\.base_url\): no model "x"/,
			},
			{
				answer({response}) {
					sendJson(response, 400, {
						error: {
							message: 'Too long\u001B[31m',
							code: 'context_length_exceeded',
							param: 'messages',
						},
					});
				},
				is: [400, 'context_length_exceeded'],
				says: /refused it with 400: Too long/,
			},
			{
				answer({response}) {
					sendJson(response, 500, 'no json');
				},
				is: [502, 'upstream_error'],
			},
			{
				answer({response}) {
					response.setHeader('location', 'http://127.0.0.1:1/');
					sendJson(response, 302, '');
				},
				is: [502, 'upstream_error'],
				says: /redirect/,
			},
			{
				answer({response}) {
					response.setHeader('content-encoding', 'gzip');
					sendJson(response, 200, 'packed');
				},
				is: [502, 'upstream_error'],
				says: /compressed/,
			},
			{
				answer({response}) {
					sendJson(response, 504, '');
				},
				is: [504, 'upstream_timeout'],
			},
			{
				answer({response}) {
					response.destroy();
				},
				is: [502, 'upstream_error'],
				says: /line was cut/,
			},
			...['no json', '[]', '{}', '{"choices":[]}', '{"choices":[{"message":"x"}]}', ''].map(
				body => ({
					answer: ({response}: UpstreamRequest) => {
						sendJson(response, 200, body);
					},
					is: [502, 'upstream_error'] as const,
					says: /^Cannot read the answer/,
				}),
			),
			{
				answer({response}) {
					sendJson(response, 200, {error: {message: 'quota'}});
				},
				is: [502, 'upstream_error'],
				says: /quota/,
			},
			{
				answer(request) {
					sendCompletion(request, {content: 'x'}, {finishReason: null});
				},
				is: [502, 'upstream_error'],
			},
			{
				answer(request) {
					sendCompletion(request, {content: 7});
				},
				is: [502, 'upstream_error'],
			},
			{
				answer(request) {
					sendCompletion(request, {content: 'x'}, {finishReason: 'error'});
				},
				is: [502, 'upstream_error'],
			},
		];
		let at = 0;
		await using relay = await startRelay(request => {
			cases[at]?.answer(request);
		});
		for (const {is, says = /./, retryAfter = null} of cases) {
			const answer = await relay.api.chat({model: 'fast', messages});
			const {code, message} = await errorOf(answer);
			expect({
				at,
				is: [answer.status, code],
				retryAfter: answer.headers.get('retry-after'),
			}).toEqual({at, is, retryAfter});
			expect(message).toMatch(says);
			expect(message).not.toContain('sk-upstream');
			expect(message).not.toContain('\u001B');
			at += 1;
		}

		const [key] = await relay.api.gateway.port.listKeys();
		expect(key?.usage.all.requests).toBe(cases.length);
	});

	test('is 502 where nobody listens', async () => {
		const upstream = await startChatUpstream(() => {});
		await upstream[Symbol.asyncDispose]();
		await using api = await startApi({models}, {config: {model: upstream.model}});
		const answer = await api.chat({model: 'fast', messages});
		expect(answer.status).toBe(502);
		expect((await errorOf(answer))['message']).toContain('ECONNREFUSED');
	});
});

describe('the offline model', () => {
	test('answers a relay that has no other, and any model for a test key, and says so', async () => {
		await using relay = await startRelay();
		const {api, upstream} = relay;
		const key = await api.makeKey({kind: 'test'});
		await using offline = await startApi({models});
		const answers = [
			await api.chat({model: 'fast', messages}, {key}),
			await api.chat({model: 'agent', messages}, {key}),
			await offline.chat({model: 'fast', messages}),
			await offline.chat({model: 'agent', messages}),
		];
		for (const answer of answers) {
			const body = (await answer.json()) as {choices: Array<{message: {content: string}}>};
			expect(answer.status).toBe(200);
			expect(answer.headers.get('x-svc-model-kind')).toBe('rule-based');
			expect(faultsOf('CreateChatCompletionResponse', body)).toEqual([]);
			expect(body.choices[0]?.message.content).toMatch(/^\[svc-offline: .*What is the capital/s);
		}

		expect(upstream.requests).toEqual([]);
		const short = await offline.chat({model: 'fast', messages, max_tokens: 3});
		expect(await short.json()).toMatchObject({
			choices: [{message: {content: '[svc-offline'}, finish_reason: 'length'}],
			usage: {prompt_tokens: 8, completion_tokens: 3, total_tokens: 11},
		});
	});
});
