import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startAgents, untrustedTool as tool} from '../helpers/agents.ts';
import type {Api} from '../helpers/api.ts';
import {
	beginStream,
	chunkOf,
	lastEvent,
	sendJson,
	sendStream,
	usageChunk,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startRelay, type Relay} from '../helpers/relay.ts';
import {responseEvents, textOf, type ResponseObject} from './responses-oracle.ts';

const asked = {model: 'fast', input: 'What is the capital of France?', stream: true};

let relay: Relay;
let answering: (request: UpstreamRequest) => void = () => {};

beforeAll(async () => {
	relay = await startRelay(request => {
		answering(request);
	});
});

afterAll(async () => relay[Symbol.asyncDispose]());

const streamed = async (api: Api, body: object = asked) =>
	responseEvents(await (await api.respond(body)).text());

const endOf = (events: Awaited<ReturnType<typeof streamed>>): ResponseObject | undefined =>
	events.at(-1)?.response;

const typesOf = (events: Awaited<ReturnType<typeof streamed>>): readonly string[] =>
	events.map(({type}) => type.replace('response.', ''));

const paris = [
	chunkOf({role: 'assistant', content: ''}),
	chunkOf({content: 'Par'}),
	chunkOf({content: 'is'}),
	chunkOf({}, {finishReason: 'stop'}),
	usageChunk,
	lastEvent,
];

const callPart = (index: number, called: JsonObject) => chunkOf({tool_calls: [{index, ...called}]});

describe('a response that is streamed', () => {
	test('tells of each step by a named event, and has the whole at its end', async () => {
		answering = request => {
			sendStream(request, ...paris);
		};
		const key = await relay.api.makeKey({name: 'counted'});
		const answer = await relay.api.respond({...asked, top_k: 1}, {key});
		expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
		expect(answer.headers.get('x-svc-ignored-params')).toBe('top_k');
		const events = responseEvents(await answer.text());
		expect(typesOf(events)).toEqual([
			'created',
			'in_progress',
			'output_item.added',
			'content_part.added',
			'output_text.delta',
			'output_text.delta',
			'output_text.done',
			'content_part.done',
			'output_item.done',
			'completed',
		]);
		expect(endOf(events)).toMatchObject({
			status: 'completed',
			model: 'fast',
			usage: {input_tokens: 11, output_tokens: 7, total_tokens: 18},
			output: [{content: [{text: 'Paris'}]}],
		});
		expect(events[0]?.response).toMatchObject({status: 'in_progress', usage: null, output: []});
		expect(relay.upstream.requests.at(-1)?.body).toMatchObject({
			stream: true,
			stream_options: {include_usage: true},
		});
		const keys = await relay.api.gateway.port.listKeys();
		const counted = keys.find(({name}) => name === 'counted');
		expect(counted?.usage.all).toEqual({requests: 1, inputTokens: 11, outputTokens: 7});
	});

	test('has thoughts, words, refusals and calls as items of their own, also calls side by side', async () => {
		answering = request => {
			sendStream(
				request,
				chunkOf({reasoning_content: 'He '}),
				chunkOf({reasoning: 'asks'}),
				chunkOf({content: 'I look'}),
				chunkOf({refusal: 'not at that'}),
				callPart(0, {id: 'a', type: 'function', function: {name: 'look', arguments: ''}}),
				callPart(1, {id: 'b', function: {name: 'far__look', arguments: '{"y"'}}),
				callPart(0, {function: {arguments: '{"x"'}}),
				callPart(1, {function: {arguments: ':2}'}}),
				callPart(0, {function: {arguments: ':1}'}}),
				callPart(2, {id: 'c', function: {arguments: ''}}),
				callPart(2, {function: {name: 'patch', arguments: String.raw`{"input":"a\n`}}),
				callPart(2, {function: {arguments: 'b"}'}}),
				chunkOf({}, {finishReason: 'tool_calls'}),
				lastEvent,
			);
		};
		const look = {type: 'function', name: 'look'};
		const events = await streamed(relay.api, {
			...asked,
			tools: [
				look,
				{type: 'namespace', name: 'far', tools: [look]},
				{type: 'custom', name: 'patch'},
			],
		});
		expect(endOf(events)?.output).toMatchObject([
			{type: 'reasoning', summary: [{type: 'summary_text', text: 'He asks'}]},
			{
				type: 'message',
				content: [
					{type: 'output_text', text: 'I look'},
					{type: 'refusal', refusal: 'not at that'},
				],
			},
			{type: 'function_call', call_id: 'a', name: 'look', arguments: '{"x":1}'},
			{type: 'function_call', call_id: 'b', name: 'look', namespace: 'far', arguments: '{"y":2}'},
			{type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'a\nb'},
		]);
		expect(typesOf(events).filter(type => type.startsWith('reasoning'))).toEqual([
			'reasoning_summary_part.added',
			'reasoning_summary_text.delta',
			'reasoning_summary_text.delta',
			'reasoning_summary_text.done',
			'reasoning_summary_part.done',
		]);
		const parts = events.filter(({type}) => type.startsWith('response.content_part'));
		expect(parts.map(({content_index: index}) => index)).toEqual([0, 0, 1, 1]);
	});

	test('that is cut short is incomplete, and says why', async () => {
		let finishReason = 'length';
		answering = request => {
			sendStream(request, chunkOf({content: 'Par'}), chunkOf({}, {finishReason}), lastEvent);
		};
		const cut = await streamed(relay.api);
		expect(cut.at(-1)).toMatchObject({
			type: 'response.incomplete',
			response: {
				status: 'incomplete',
				incomplete_details: {reason: 'max_output_tokens'},
				output: [{status: 'incomplete'}],
			},
		});
		finishReason = 'content_filter';
		expect(endOf(await streamed(relay.api))).toMatchObject({
			incomplete_details: {reason: 'content_filter'},
		});
	});

	test('that fails has a status before its first word, and ends with response.failed later', async () => {
		let later = false;
		answering = request => {
			if (later) {
				beginStream(
					request,
					chunkOf({reasoning: 'Hm'}),
					chunkOf({content: 'Par'}),
					'data: {"error":{"message":"no room"}}\n\n',
				);
			} else {
				sendJson(request.response, 500, {});
			}
		};
		const first = await relay.api.respond(asked);
		expect([first.status, first.headers.get('content-type')]).toEqual([
			502,
			'application/json; charset=utf-8',
		]);
		later = true;
		const answer = await relay.api.respond(asked);
		// Not all that began was ended: what is told of are the items that are whole.
		const last = JSON.parse(/data: (.*)\n\n$/.exec(await answer.text())?.[1] ?? '') as JsonObject;
		expect(last).toMatchObject({
			type: 'response.failed',
			sequence_number: 11,
			response: {
				status: 'failed',
				error: {code: 'upstream_error', message: expect.stringContaining('no room')},
				output: [{type: 'reasoning'}],
				usage: null,
			},
		});
	});

	test('says every five seconds that it is in progress, under the next number', async () => {
		const clock = createFakeClock(1_700_000_000_000);
		await using slow = await startRelay(() => {}, {clock});
		const asking = slow.api.respond(asked);
		while (slow.upstream.requests.length === 0) {
			await new Promise(setImmediate);
		}

		clock.advance(5000);
		const answer = await asking;
		clock.advance(5000);
		clock.advance(5000);
		sendStream(slow.upstream.requests[0] as UpstreamRequest, ...paris);
		const events = responseEvents(await answer.text());
		expect(typesOf(events).slice(0, 5)).toEqual([
			'created',
			...Array.from({length: 3}, () => 'in_progress'),
			'output_item.added',
		]);
	});

	test('may say much at once: whoever reads it slowly is waited for once', async () => {
		const warnings: string[] = [];
		const note = ({message}: Error) => {
			warnings.push(message);
		};
		const calls = Array.from({length: 12}, (_, index) => ({
			index,
			id: `call-${index}`,
			function: {name: 'look', arguments: 'x'.repeat(20_000)},
		}));
		answering = request => {
			sendStream(
				request,
				chunkOf({tool_calls: calls}),
				chunkOf({}, {finishReason: 'tool_calls'}),
				lastEvent,
			);
		};
		process.on('warning', note);
		try {
			expect(endOf(await streamed(relay.api))?.output).toHaveLength(12);
			expect(warnings).toEqual([]);
		} finally {
			process.off('warning', note);
		}
	});

	test('that nobody waits for any more is ended at the server, and with its key', async () => {
		answering = request => {
			beginStream(request, chunkOf({content: 'a'}));
		};
		const {api, upstream} = relay;
		const leaving = new AbortController();
		const left = await api.respond(asked, {signal: leaving.signal});
		await left.body?.getReader().read();
		leaving.abort();
		expect(await upstream.requests.at(-1)?.closed).toBe(true);

		const key = await api.makeKey({name: 'ending'});
		const answer = await api.respond(asked, {key});
		const keys = await api.gateway.port.listKeys();
		await api.gateway.port.revokeKey(keys.find(({name}) => name === 'ending')?.id ?? '');
		expect(await answer.text()).toMatch(/event: response\.failed\n.*"code":"invalid_api_key"/);
	});

	test('comes from the offline model for a test key', async () => {
		const key = await relay.api.makeKey({kind: 'test'});
		for (const model of ['fast', 'agent']) {
			const answer = await relay.api.respond({...asked, model}, {key});
			expect(answer.headers.get('x-svc-model-kind')).toBe('rule-based');
			const end = endOf(responseEvents(await answer.text()));
			expect(end && textOf(end)).toContain('What is the capital');
		}
	});
});

describe('an agent that is asked for a response', () => {
	test('works inside of it: what it does and waits for goes on as response.in_progress', async () => {
		await using agents = await startAgents([
			{text: 'A moment', toolCalls: [{name: tool, arguments: {}}]},
			{text: 'It is on'},
			{toolCalls: [{name: tool, arguments: {}}]},
			{text: 'Then not'},
		]);
		const {gateway} = agents.api;
		const ask = {model: 'svc-agent-1', instructions: 'Be brief', input: 'Do it', stream: true};
		const asking = streamed(agents.api, ask);
		const {
			approvals: [waiting],
		} = await gateway.until(({approvals: [first]}) => first !== undefined);
		expect(waiting).toMatchObject({chat: {key: 'test'}});
		await gateway.port.settleApproval(waiting?.id ?? 0, {
			answer: {choice: 'allow', scope: 'once', typedName: 'toggle-simulated-logging'},
			by: 'cli',
		});
		const events = await asking;
		expect(
			events.flatMap(({type, svc}) => (svc ? [[type, (svc as JsonObject)['event']]] : [])),
		).toEqual(
			['tool_started', 'approval_pending', 'approval_settled', 'tool_ended'].map(event => [
				'response.in_progress',
				event,
			]),
		);
		const end = endOf(events);
		expect(end && textOf(end)).toBe('A moment\n\nIt is on');
		expect((await agents.model.request(0)).body.messages[0].content).toMatch(/Be brief$/);
		const [run] = await gateway.port.listRuns({limit: 1});
		expect(run).toMatchObject({event: 'chat', chat: {key: 'test'}, state: 'done'});

		const denied = await agents.api.respond(
			{...ask, stream: false},
			{headers: {'x-svc-approval': 'deny'}},
		);
		expect(textOf((await denied.json()) as ResponseObject)).toBe('Then not');
	});
});
