import {once} from 'node:events';
import {connect} from 'node:net';
import {describe, expect, test} from 'vitest';
import {isJsonObject, type JsonObject, type JsonValue} from '../../source/core/json.ts';
import {startApi, usageOf, type Api} from '../helpers/api.ts';
import {
	beginStream,
	chunkOf,
	eventsOf,
	lastEvent,
	sendCompletion,
	sendJson,
	sendStream,
	usageChunk,
	type UpstreamRequest,
} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {messages, models, startRelay} from '../helpers/relay.ts';
import {faultsOf} from './chat-oracle.ts';

const asked = {model: 'fast', messages, stream: true};

type Chunk = {
	readonly id: string;
	readonly model: string;
	readonly created: number;
	readonly choices: ReadonlyArray<{
		readonly delta: {readonly content?: string; readonly tool_calls?: readonly JsonObject[]};
		readonly finish_reason: string | null;
	}>;
	readonly usage?: JsonObject | null;
};

/** The chunks of a whole stream; each is what the specification says, and the last line is `[DONE]`. */
function chunksOf(text: string): readonly Chunk[] {
	const events = eventsOf(text);
	expect(events.at(-1)).toBe('[DONE]');
	const chunks = events.slice(0, -1).map(event => JSON.parse(event) as Chunk);
	expect(chunks.flatMap(chunk => faultsOf('CreateChatCompletionStreamResponse', chunk))).toEqual(
		[],
	);
	expect(new Set(chunks.map(({id, created, model}) => `${id} ${created} ${model}`)).size).toBe(1);
	expect(chunks[0]?.choices[0]?.delta).toEqual({role: 'assistant', content: ''});
	const reasons = chunks.flatMap(({choices}) => choices.map(choice => choice.finish_reason));
	expect(reasons.filter(reason => reason !== null)).toHaveLength(1);
	return chunks;
}

/** Of a part of a call. */
const argumentsIn = (called: JsonValue | undefined): JsonValue | undefined =>
	isJsonObject(called) ? called['arguments'] : undefined;

const callsOf = (chunks: readonly Chunk[]) =>
	chunks.flatMap(({choices}) => choices.flatMap(({delta}) => delta.tool_calls ?? []));

const textOf = (chunks: readonly Chunk[]) =>
	chunks.flatMap(({choices}) => choices.map(({delta}) => delta.content ?? '')).join('');

const streamed = async (api: Api, body: object = asked) => (await api.chat(body)).text();

const paris = [
	chunkOf({role: 'assistant', content: ''}),
	chunkOf({content: 'Par'}),
	chunkOf({content: 'is'}),
	chunkOf({}, {finishReason: 'stop'}),
	usageChunk,
	lastEvent,
];

describe('a chat completion that is streamed', () => {
	test('is what the server says, chunk by chunk, under our names', async () => {
		await using relay = await startRelay(request => {
			sendStream(request, ...paris);
		});
		const {api, upstream} = relay;
		const answer = await api.chat({...asked, top_k: 1});
		expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
		expect(answer.headers.get('cache-control')).toBe('no-cache');
		expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
		expect(answer.headers.get('x-svc-ignored-params')).toBe('top_k');
		const chunks = chunksOf(await answer.text());
		expect(textOf(chunks)).toBe('Paris');
		expect(chunks[0]).toMatchObject({id: expect.stringMatching(/^chatcmpl_/), model: 'fast'});
		expect(chunks.filter(chunk => 'usage' in chunk)).toEqual([]);
		// It is asked for in any case: the key pays for it.
		expect(upstream.requests[0]?.body).toEqual({
			messages,
			model: 'upstream-1',
			stream: true,
			stream_options: {include_usage: true},
		});
		const [key] = await api.gateway.port.listKeys();
		expect(key?.usage.all).toEqual({requests: 1, inputTokens: 11, outputTokens: 7});

		const counted = chunksOf(
			await streamed(api, {...asked, stream_options: {include_usage: true}}),
		);
		expect(counted.at(-1)).toMatchObject({
			choices: [],
			usage: {prompt_tokens: 11, completion_tokens: 7, total_tokens: 18},
		});
		expect(counted.slice(0, -1).every(({usage}) => usage === null)).toBe(true);
	});

	test('comes through however its bytes are cut, and whatever else stands between', async () => {
		const text = [
			': a comment\r\n\r\n',
			'event: message\r\nid: 7\r\nretry: 100\r\n',
			chunkOf({content: 'Zür'}).replaceAll('\n', '\r\n'),
			'no field at all\n\n',
			'data:\n\n',
			// One event of two lines.
			'data: {"choices":\ndata: [{"delta":{"content":"ich 🏔"}}]}\n\n',
			'data:{"choices":[{"delta":{"content":"!"},"finish_reason":"end_turn"}]}\n\n',
			'data: {"choices":[{"delta":{"content":"late"},"finish_reason":"length"}]}\n\n',
			'data: [DONE]',
		].join('');
		const bytes = Buffer.from(text);
		await using relay = await startRelay(async request => {
			beginStream(request);
			const size = relay.upstream.requests.length;
			for (let at = 0; at < bytes.length; at += size) {
				// A turn of the loop between two writes: they arrive apart.
				await new Promise(resolve => {
					request.response.write(bytes.subarray(at, at + size), resolve);
				});
			}

			request.response.end();
		});
		for (let round = 0; round < 3; round++) {
			const chunks = chunksOf(await streamed(relay.api));
			expect(textOf(chunks)).toBe('Zürich 🏔!');
			expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
		}
	});

	test('passes on calls of tools, each part with the index that clients need', async () => {
		await using relay = await startRelay(request => {
			sendStream(
				request,
				chunkOf({
					tool_calls: [
						{index: 0, id: 'a', type: 'function', function: {name: 'look', arguments: ''}},
					],
				}),
				chunkOf({tool_calls: [{index: 0, function: {arguments: '{"x"'}}]}),
				chunkOf({tool_calls: [{index: 0, function: {arguments: ':1}'}}]}),
				// As Google leaves it out.
				chunkOf({tool_calls: [{id: 'b', function: {name: 'see', arguments: {y: 2}}}]}),
				chunkOf({}, {finishReason: 'tool_calls'}),
				lastEvent,
			);
		});
		const chunks = chunksOf(await streamed(relay.api));
		expect(callsOf(chunks)).toEqual([
			{index: 0, id: 'a', type: 'function', function: {name: 'look', arguments: ''}},
			{index: 0, function: {arguments: '{"x"'}},
			{index: 0, function: {arguments: ':1}'}},
			{index: 1, id: 'b', type: 'function', function: {name: 'see', arguments: '{"y":2}'}},
		]);
	});

	test.for([
		[
			'begin every call with the same index',
			[
				{index: 0, id: 'a', function: {name: 'look', arguments: '{"x":1}'}},
				{index: 0, id: 'b', function: {name: 'look', arguments: '{"x":'}},
				{index: 0, function: {arguments: '2}'}},
				{index: 0, id: 'a', function: {arguments: ' '}},
			],
			[
				[0, 'a', '{"x":1}'],
				[1, 'b', '{"x":'],
				[1, undefined, '2}'],
				[0, undefined, ' '],
			],
		],
		[
			'give every part of a call an identifier of its own',
			[
				{index: 0, id: 'a', function: {name: 'look', arguments: '{'}},
				{index: 0, id: 'b', function: {arguments: '}'}},
				{index: 1, id: 'c', function: {name: 'look', arguments: '{}'}},
			],
			[
				[0, 'a', '{'],
				[0, undefined, '}'],
				[1, 'c', '{}'],
			],
		],
		[
			'give two calls the same identifier',
			[
				{index: 0, id: 'a', function: {name: 'look', arguments: '{}'}},
				{index: 1, id: 'a', function: {name: 'see', arguments: '{}'}},
			],
			[
				[0, 'a', '{}'],
				[1, 'a', '{}'],
			],
		],
		[
			'count from one, and continue a call under the next index',
			[
				{index: 1, id: 'a', function: {name: 'look', arguments: '{}'}},
				{index: 1, id: 'b', function: {name: 'see', arguments: '{'}},
				{index: 2, function: {arguments: '}'}},
			],
			[
				[0, 'a', '{}'],
				[1, 'b', '{'],
				[1, undefined, '}'],
			],
		],
		[
			'say nothing but the name',
			[
				{function: {name: 'look', arguments: '{'}},
				{function: {arguments: '}'}},
				{function: {name: 'see', arguments: '{}'}},
			],
			[
				[0, expect.stringMatching(/^call_/), '{'],
				[0, undefined, '}'],
				[1, expect.stringMatching(/^call_/), '{}'],
			],
		],
		[
			'leave the index out',
			[
				{id: 'a', function: {name: 'look', arguments: '{'}},
				{id: 'a', function: {arguments: '}'}},
				{id: 'b', function: {name: 'look', arguments: '{'}},
				{function: {arguments: '}'}},
			],
			[
				[0, 'a', '{'],
				[0, undefined, '}'],
				[1, 'b', '{'],
				[1, undefined, '}'],
			],
		],
	] as const)('keeps calls apart at servers that %s', async ([, parts, told]) => {
		await using relay = await startRelay(request => {
			sendStream(
				request,
				...parts.map(part => chunkOf({tool_calls: [part]})),
				chunkOf({}, {finishReason: 'tool_calls'}),
				lastEvent,
			);
		});
		const calls = callsOf(chunksOf(await streamed(relay.api)));
		expect(calls.map(({index, id, function: called}) => [index, id, argumentsIn(called)])).toEqual(
			told,
		);
	});

	test('that fails says so: with a status before its first word, and in the stream later', async () => {
		const failures: ReadonlyArray<{
			readonly name: string;
			readonly answer: (request: UpstreamRequest) => void;
			readonly status: number;
		}> = [
			{name: 'refused', answer: ({response}) => sendJson(response, 401, {}), status: 502},
			{name: 'busy', answer: ({response}) => sendJson(response, 429, {}), status: 503},
			{
				name: 'error first',
				answer: request => sendStream(request, 'data: {"error":{"message":"no room"}}\n\n'),
				status: 502,
			},
			{name: 'nothing', answer: request => sendStream(request), status: 502},
			{name: 'done at once', answer: request => sendStream(request, lastEvent), status: 502},
			{
				name: 'no events',
				answer: request => sendCompletion(request, {content: 'whole'}),
				status: 502,
			},
			{
				name: 'error later',
				answer: request =>
					sendStream(request, chunkOf({content: 'a'}), 'data: {"error":"gone"}\n\n', lastEvent),
				status: 200,
			},
			{
				name: 'garbage later',
				answer: request =>
					sendStream(request, chunkOf({content: 'a'}), 'data: {"choi\n\n', lastEvent),
				status: 200,
			},
			{
				name: 'no reason',
				answer: request => sendStream(request, chunkOf({content: 'a'}), lastEvent),
				status: 200,
			},
			{
				name: 'cut',
				answer(request) {
					beginStream(request, chunkOf({content: 'a'}));
					setImmediate(() => request.response.destroy());
				},
				status: 200,
			},
			{
				name: 'a line without an end',
				answer: request =>
					sendStream(request, chunkOf({content: 'a'}), `data: ${'x'.repeat(5 * 2 ** 20)}`),
				status: 200,
			},
			{
				name: 'calls without an end',
				answer: request =>
					sendStream(
						request,
						chunkOf({content: 'a'}),
						chunkOf({tool_calls: Array.from({length: 2000}, (_, at) => ({id: `call-${at}`}))}),
						chunkOf({}, {finishReason: 'tool_calls'}),
						lastEvent,
					),
				status: 200,
			},
			{
				name: 'very deep',
				answer: request =>
					sendStream(
						request,
						`data: {"choices":[{"delta":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}\n\n`,
					),
				status: 502,
			},
		];
		let at = 0;
		await using relay = await startRelay(request => {
			failures[at]?.answer(request);
		});
		for (const {name, status} of failures) {
			const answer = await relay.api.chat(asked);
			const text = await answer.text();
			expect({name, status: answer.status}).toEqual({name, status});
			const last = status === 200 ? (eventsOf(text).at(-1) ?? '') : text;
			const body = JSON.parse(last) as {error: JsonObject};
			expect({name, faults: faultsOf('ErrorResponse', body)}).toEqual({name, faults: []});
			expect(body.error['code']).toBe('upstream_error');
			expect(text).not.toContain('[DONE]');
			at += 1;
		}

		// What was passed on counts, also of an answer that failed.
		const [key] = await relay.api.gateway.port.listKeys();
		expect(key?.usage.all.requests).toBe(failures.length);
		expect(key?.usage.all.outputTokens).toBeGreaterThan(0);
	});

	test('says every five seconds that somebody is there, with a chunk like any other', async () => {
		const clock = createFakeClock(1_700_000_000_000);
		await using relay = await startRelay(() => {}, {clock});
		const {api, upstream} = relay;
		const asking = api.chat(asked);
		while (upstream.requests.length === 0) {
			await new Promise(setImmediate);
		}

		// Nothing was said yet, not even a status.
		clock.advance(5000);
		const answer = await asking;
		expect(answer.status).toBe(200);
		clock.advance(5000);
		const [request] = upstream.requests;
		sendStream(request as UpstreamRequest, ...paris);
		const chunks = chunksOf(await answer.text());
		expect(chunks.map(({choices}) => choices[0]?.delta)).toEqual([
			{role: 'assistant', content: ''},
			{},
			{content: 'Par'},
			{content: 'is'},
			{},
		]);
	});

	test('is given up when the server says nothing: 504, or an error in the stream', async () => {
		const clock = createFakeClock(1_700_000_000_000);
		await using relay = await startRelay(
			request => {
				if (request.body.stream === true) {
					beginStream(request, chunkOf({content: 'a'}));
				}
			},
			{clock},
		);
		const {api, upstream} = relay;
		const whole = api.chat({...asked, stream: false});
		const answer = await api.chat(asked);
		while (upstream.requests.length < 2) {
			await new Promise(setImmediate);
		}

		clock.advance(600_000);
		expect((await whole).status).toBe(504);
		const last = eventsOf(await answer.text()).at(-1) ?? '';
		expect(JSON.parse(last)).toMatchObject({error: {code: 'upstream_timeout'}});
		expect(await Promise.all(upstream.requests.map(async ({closed}) => closed))).toEqual([
			true,
			true,
		]);
	});

	test('that nobody waits for any more is ended at the server', async () => {
		await using relay = await startRelay(request => {
			if (request.body.stream === true) {
				beginStream(request, chunkOf({content: 'a'}));
			}
		});
		const {api, upstream} = relay;
		for (const stream of [true, false]) {
			const leaving = new AbortController();
			const count = upstream.requests.length;
			const asking = api.chat({...asked, stream}, {signal: leaving.signal});
			while (upstream.requests.length === count) {
				await new Promise(setImmediate);
			}

			if (stream) {
				await (await asking).body?.getReader().read();
			}

			leaving.abort();
			await asking.catch(() => {});
			expect(await upstream.requests[count]?.closed).toBe(true);
		}

		// Both were asked for, and the server was at work on them.
		expect(await usageOf(api, 2)).toMatchObject({requests: 2, inputTokens: 16});
	});

	test('ends with its key, when that is revoked', async () => {
		await using relay = await startRelay(request => {
			beginStream(request, chunkOf({content: 'a'}));
		});
		const {api} = relay;
		const answer = await api.chat(asked);
		const [key] = await api.gateway.port.listKeys();
		await api.gateway.port.revokeKey(key?.id ?? '');
		const last = eventsOf(await answer.text()).at(-1) ?? '';
		expect(JSON.parse(last)).toMatchObject({error: {code: 'invalid_api_key'}});
	});

	test('is held back by a client that does not read, which is cut after a minute', async () => {
		const clock = createFakeClock(1_700_000_000_000);
		const big = chunkOf({content: 'x'.repeat(64 * 1024)});
		let sent = 0;
		await using relay = await startRelay(
			async request => {
				beginStream(request);
				// More than our bound of an answer, if nothing held it back.
				while (sent < 1000 && !request.response.destroyed) {
					sent += 1;
					if (!request.response.write(big)) {
						await Promise.race([once(request.response, 'drain'), request.closed]);
					}
				}
			},
			{clock},
		);
		const {api, upstream} = relay;
		const {port} = new URL(api.url);
		const body = JSON.stringify(asked);
		const socket = connect(Number(port), '127.0.0.1');
		socket.on('error', () => {});
		const closed = new Promise(resolve => {
			socket.once('close', resolve);
		});
		socket.pause();
		socket.write(
			`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		);
		let before = -1;
		let calm = 0;
		// Until nothing moves any more.
		while (calm < 200) {
			calm = before === sent && sent > 0 ? calm + 1 : 0;
			before = sent;
			await new Promise(setImmediate);
		}

		expect(sent).toBeLessThan(400);
		expect(await Promise.race([upstream.requests[0]?.closed, Promise.resolve('open')])).toBe(
			'open',
		);
		clock.advance(60_000);
		expect(await upstream.requests[0]?.closed).toBe(true);
		socket.resume();
		await closed;
	});

	test('uses the connection to the server again', async () => {
		await using relay = await startRelay(request => {
			sendStream(request, ...paris);
		});
		for (let round = 0; round < 4; round++) {
			await streamed(relay.api);
		}

		expect(relay.upstream.connections).toBe(1);
	});

	test('comes from the offline model, too', async () => {
		await using api = await startApi({models});
		for (const model of ['fast', 'agent']) {
			const answer = await api.chat({...asked, model, stream_options: {include_usage: true}});
			expect(answer.headers.get('x-svc-model-kind')).toBe('rule-based');
			const chunks = chunksOf(await answer.text());
			expect(textOf(chunks)).toContain('What is the capital');
			expect(chunks.at(-1)?.usage).toMatchObject({prompt_tokens: 8});
		}
	});
});
