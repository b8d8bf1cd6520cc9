import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startApi} from '../helpers/api.ts';
import {sendCompletion, sendJson, type UpstreamRequest} from '../helpers/chat-upstream.ts';
import {models, startRelay, type Relay} from '../helpers/relay.ts';
import {faultsOf, textOf, type ResponseObject} from './responses-oracle.ts';

const asked = {model: 'fast', input: 'What is the capital of France?'};

const look = {
	type: 'function',
	name: 'look',
	description: 'Looks',
	parameters: {type: 'object', properties: {at: {type: 'string'}}},
};

const sayParis = (request: UpstreamRequest): void => {
	sendCompletion(request, {content: 'Paris'});
};

let relay: Relay;
let answering = sayParis;

beforeAll(async () => {
	relay = await startRelay(request => {
		answering(request);
	});
});

afterAll(async () => relay[Symbol.asyncDispose]());

/** The answer, which is what the specification says. */
async function answered(body: object = asked, key = relay.api.key): Promise<ResponseObject> {
	const answer = await relay.api.respond(body, {key});
	const response = (await answer.json()) as ResponseObject;
	expect({status: answer.status, response, faults: faultsOf('Response', response)}).toEqual({
		status: 200,
		response,
		faults: [],
	});
	return response;
}

describe('a response in one piece', () => {
	test('has every field of the specification, and nothing of it is kept', async () => {
		const key = await relay.api.makeKey({name: 'counted'});
		const whole = {
			...asked,
			instructions: 'Be brief',
			store: true,
			metadata: {job: '7'},
			top_p: 0.5,
			include: ['reasoning.encrypted_content'],
		};
		const response = await answered(whole, key);
		expect(response).toMatchObject({
			id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
			object: 'response',
			status: 'completed',
			model: 'fast',
			instructions: 'Be brief',
			store: false,
			metadata: {job: '7'},
			top_p: 0.5,
			temperature: 1,
			tools: [],
			tool_choice: 'auto',
			error: null,
			usage: {
				input_tokens: 11,
				input_tokens_details: {cached_tokens: 0},
				output_tokens: 7,
				output_tokens_details: {reasoning_tokens: 0},
				total_tokens: 18,
			},
		});
		expect(response.output).toEqual([
			{
				id: expect.stringMatching(/^msg_/),
				type: 'message',
				role: 'assistant',
				status: 'completed',
				content: [{type: 'output_text', text: 'Paris', annotations: [], logprobs: []}],
			},
		]);
		expect(relay.upstream.requests.at(-1)?.body).toEqual({
			messages: [
				{role: 'system', content: 'Be brief'},
				{role: 'user', content: 'What is the capital of France?'},
			],
			top_p: 0.5,
			model: 'upstream-1',
			stream: false,
		});
		const keys = await relay.api.gateway.port.listKeys();
		expect(keys.find(({name}) => name === 'counted')?.usage.all).toEqual({
			requests: 1,
			inputTokens: 11,
			outputTokens: 7,
		});
	});

	test('carries over what the server says: thoughts, refusals, calls, and why it ends', async () => {
		let message: JsonObject = {};
		let finishReason = 'stop';
		answering = request => {
			sendCompletion(request, message, {
				finishReason,
				usage: {
					prompt_tokens: 9,
					completion_tokens: 8,
					total_tokens: 17,
					prompt_tokens_details: {cached_tokens: 4},
					completion_tokens_details: {reasoning_tokens: 5},
				},
			});
		};
		message = {
			content: 'Let me look',
			reasoning_content: 'He wants to know',
			tool_calls: [
				{id: 'a', type: 'function', function: {name: 'look', arguments: '{"at":"x"}'}},
				{id: 'b', type: 'function', function: {name: 'look', arguments: {at: 'y'}}},
			],
		};
		finishReason = 'tool_calls';
		const called = await answered({...asked, tools: [look]});
		expect(called).toMatchObject({
			status: 'completed',
			usage: {
				input_tokens_details: {cached_tokens: 4},
				output_tokens_details: {reasoning_tokens: 5},
			},
			tools: [{...look, strict: null}],
		});
		expect(called.output).toMatchObject([
			{type: 'reasoning', summary: [{type: 'summary_text', text: 'He wants to know'}]},
			{type: 'message', content: [{text: 'Let me look'}]},
			{type: 'function_call', call_id: 'a', name: 'look', arguments: '{"at":"x"}'},
			{type: 'function_call', call_id: 'b', name: 'look', arguments: '{"at":"y"}'},
		]);

		message = {content: null, refusal: 'I will not'};
		finishReason = 'stop';
		expect((await answered()).output).toMatchObject([
			{type: 'message', content: [{type: 'refusal', refusal: 'I will not'}]},
		]);

		message = {content: 'Par'};
		finishReason = 'length';
		expect(await answered({...asked, max_output_tokens: 3})).toMatchObject({
			status: 'incomplete',
			incomplete_details: {reason: 'max_output_tokens'},
			completed_at: null,
			max_output_tokens: 3,
			output: [{status: 'incomplete', content: [{text: 'Par'}]}],
		});
		expect(relay.upstream.requests.at(-1)?.body).toMatchObject({max_tokens: 3});

		finishReason = 'content_filter';
		expect(await answered()).toMatchObject({
			status: 'incomplete',
			incomplete_details: {reason: 'content_filter'},
		});

		message = {content: ''};
		finishReason = 'stop';
		expect(textOf(await answered())).toBe('');
	});

	test('lowers the bound of a client to that of the model', async () => {
		answering = sayParis;
		const response = await answered({...asked, model: 'small', max_output_tokens: 4000});
		expect(response).toMatchObject({model: 'small', max_output_tokens: 100});
		expect(relay.upstream.requests.at(-1)?.body).toMatchObject({
			model: 'upstream-small',
			max_tokens: 100,
		});
	});

	test('fails as a chat completion does, with a status', async () => {
		let status = 401;
		answering = ({response}) => {
			sendJson(response, status, {error: {message: 'Too long', code: 'too_long'}});
		};
		for (const [theirs, ours] of [
			[401, 502],
			[429, 503],
			[500, 502],
			[400, 400],
		] as const) {
			status = theirs;
			const answer = await relay.api.respond(asked);
			expect({theirs, ours: answer.status}).toEqual({theirs, ours});
			expect(faultsOf('ErrorResponse', await answer.json())).toEqual([]);
		}
	});

	test('comes from the offline model for a test key, whatever the model', async () => {
		const {api} = relay;
		const key = await api.makeKey({name: 'ci', kind: 'test'});
		for (const model of ['fast', 'agent', 'svc-title-1']) {
			const answer = await api.respond({...asked, model}, {key});
			expect(answer.headers.get('x-svc-model-kind')).toBe('rule-based');
			const response = (await answer.json()) as ResponseObject;
			expect(faultsOf('Response', response)).toEqual([]);
			expect(textOf(response)).toMatch(/^\[svc-offline/);
		}
	});

	test('wants a key for it, and is judged in the order of all requests', async () => {
		await using api = await startApi({models, max_body_bytes: 4096});
		const chatting = await api.makeKey({endpoints: ['chat']});
		const responding = await api.makeKey({endpoints: ['responses'], models: ['fast']});
		const spent = await api.makeKey({budget: {tokens: 1, per: 'day'}});
		const cases = [
			[asked, null, 401, 'missing_api_key'],
			[{...asked, user: 'x'.repeat(5000)}, api.key, 413, 'request_too_large'],
			['[]', api.key, 400, 'invalid_json'],
			[{...asked, background: true, model: 'none'}, chatting, 400, 'unsupported_value'],
			[{...asked, model: 'none'}, chatting, 404, 'model_not_found'],
			[asked, chatting, 403, 'endpoint_access_denied'],
			[{...asked, model: 'small'}, responding, 403, 'model_access_denied'],
			[asked, spent, 429, 'budget_exceeded'],
			[asked, responding, 200, undefined],
		] as const;
		for (const [body, key, status, code] of cases) {
			const answer = await api.respond(body, {key});
			const said = (await answer.json()) as {error: JsonObject | null};
			expect([answer.status, said.error?.['code']]).toEqual([status, code]);
		}

		expect((await api.chat({model: 'fast'}, {key: responding})).status).toBe(400);
		const other = await api.chat(
			{model: 'fast', messages: [{role: 'user', content: 'x'}]},
			{
				key: responding,
			},
		);
		expect(other.status).toBe(403);
		expect((await api.ask('/v1/responses')).status).toBe(405);
	});
});
