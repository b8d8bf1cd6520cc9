import {once} from 'node:events';
import {connect} from 'node:net';
import {describe, expect, test} from 'vitest';
import {createApiServer} from '../../source/api/api-server.ts';
import {endpoint} from '../../source/api/http/endpoint.ts';
import type {KeyDesk} from '../../source/api/keys/desk.ts';
import {systemClock} from '../../source/core/clock.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {silentLogger} from '../../source/core/log.ts';
import {startApi, type Api} from '../helpers/api.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {advanceUntil} from '../helpers/gateway.ts';
import {rawExchange, type RawAnswer} from '../helpers/raw-http.ts';
import {messages, models} from '../helpers/relay.ts';

const path = '/v1/chat/completions';
const good = JSON.stringify({model: 'fast', messages});

const headOf = ({key}: Api, ...more: readonly string[]) =>
	[
		`POST ${path} HTTP/1.1`,
		'Host: localhost',
		`Authorization: Bearer ${key}`,
		'Content-Type: application/json',
		...more,
		'\r\n',
	].join('\r\n');

const raw = async (api: Api, bytes: string, expected = 1) =>
	rawExchange({port: Number(new URL(api.url).port)}, bytes, {expected});

/** The code of an error that nobody but the server itself says: it has the form of all others, and a name. */
function unheardOf({head, body}: RawAnswer = {status: 0, head: '', body: ''}): unknown {
	const {error} = JSON.parse(body) as {error: JsonObject};
	expect(head).toMatch(/\r\nx-request-id: \S+/i);
	expect(error).toEqual({
		message: expect.stringMatching(/^Cannot read the request: ./),
		type: 'invalid_request_error',
		param: null,
		code: expect.any(String),
	});
	return error['code'];
}

describe('whatever is sent', () => {
	test('that is no HTTP is refused in the form of every other error, with a name', async () => {
		await using api = await startApi({models});
		for (const [bytes, status, code] of [
			['NONSENSE\r\n\r\n', 400, 'malformed_request'],
			[`GET ${path} HTTP/1.1\r\n\r\n`, 400, 'malformed_request'],
			[headOf(api, 'Host: another', 'Content-Length: 0'), 400, 'malformed_request'],
			[headOf(api, 'Expect: miracles', 'Content-Length: 2'), 417, 'malformed_request'],
			['CONNECT there:1 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'method_not_allowed'],
		] as const) {
			const {answers} = await raw(api, bytes);
			expect([answers[0]?.status, unheardOf(answers[0])]).toEqual([status, code]);
		}

		const {answers} = await raw(api, headOf(api, 'x-request-id: mine', 'Host: another'));
		expect(answers[0]?.head).toMatch(/\r\nx-request-id: mine\r\n/i);
	});

	test('that is no object is refused, and the next request is served', async () => {
		await using api = await startApi({models});
		const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
		for (const body of [
			'',
			'[]',
			'"text"',
			'42',
			'null',
			'{"model": "fast"} {}',
			`{"model": "fast", "messages": ${deep(200)}}`,
			// Parsed, this would hold up everybody for seconds.
			`{"model": "fast", "messages": ${deep(1_000_000)}}`,
			// So would this.
			`{${Array.from({length: 800_000}, (_, index) => `"k${index}":1`).join(',')}}`,
		]) {
			const answer = await api.chat(body);
			const read = (await answer.json()) as {error: JsonObject};
			expect([answer.status, read.error['code'], read.error['param']]).toEqual([
				400,
				'invalid_json',
				null,
			]);
		}

		expect((await api.chat(good)).status).toBe(200);
	});

	test('of 30 MB is refused, and whoever sends it reads why', async () => {
		await using api = await startApi({models});
		const body = `{"model": "fast", "messages": "${'x'.repeat(30 * 2 ** 20)}"}`;
		for (let round = 0; round < 2; round++) {
			const answer = await api.chat(body);
			expect([answer.status, await answer.json()]).toMatchObject([
				413,
				{error: {code: 'request_too_large'}},
			]);
		}
	});

	test('above the limit is refused by its length, or as soon as it is too much', async () => {
		await using api = await startApi({models, max_body_bytes: 4096});
		const declared = await raw(api, headOf(api, 'Content-Length: 99999999'));
		expect(declared.answers[0]?.status).toBe(413);
		const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
		const chunked = await raw(api, `${headOf(api, 'Transfer-Encoding: chunked')}${chunk}${chunk}`);
		expect(chunked.answers[0]?.status).toBe(413);
		const bytes = await api.ask(path, {
			method: 'POST',
			body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
		});
		expect(bytes.status).toBe(400);
		expect(await bytes.text()).toContain('UTF-8');
	});

	test('in one piece with the next request is answered in order; a flood of headers is not', async () => {
		await using api = await startApi({models});
		const one = `${headOf(api, `Content-Length: ${good.length}`)}${good}`;
		const bad = `${headOf(api, 'Content-Length: 2')}[]`;
		const {answers} = await raw(api, `${one}${bad}${one}`, 3);
		expect(answers.map(({status}) => status)).toEqual([200, 400, 200]);
		const flood = Array.from({length: 2000}, (_, index) => `x-${index}: ${'y'.repeat(20)}`);
		const {answers: flooded} = await raw(api, headOf(api, ...flood, 'Content-Length: 0'));
		expect(flooded[0]?.status).toBe(431);
		expect(unheardOf(flooded[0])).toBe('headers_too_large');
		expect((await api.chat(good)).status).toBe(200);
	});

	test('so slowly that it does not end in time is cut with 408', async () => {
		const server = createApiServer(
			{
				clock: systemClock,
				log: silentLogger,
				// Nobody is asked for a key.
				keys: {} as KeyDesk,
				endpoints: [
					endpoint({
						method: 'POST',
						path: '/open',
						prepare: ({body}) => body,
						serve: async body => ({json: body}),
					}),
				],
				limits: () => ({maxBodyBytes: 4096, corsOrigins: []}),
			},
			{
				host: '127.0.0.1',
				port: 0,
				http: {requestTimeoutMs: 50, headersTimeoutMs: 50, checkIntervalMs: 10},
			},
		);
		const {url} = await server.listen();
		const {answers, closed} = await rawExchange(
			{port: Number(new URL(url).port)},
			'POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"half',
		);
		expect([answers[0]?.status, closed]).toEqual([408, true]);
		expect(unheardOf(answers[0])).toBe('request_timeout');
		await server.close();
	});

	test('by a client that does not take its answer keeps it for a while, and no longer', async () => {
		const clock = createFakeClock();
		const size = 16 * 2 ** 20;
		const server = createApiServer(
			{
				clock,
				log: silentLogger,
				keys: {} as KeyDesk,
				endpoints: [
					endpoint({
						method: 'GET',
						path: '/open',
						prepare: () => undefined,
						serve: async () => ({text: 'x'.repeat(size), contentType: 'text/plain'}),
					}),
				],
				limits: () => ({maxBodyBytes: 4096, corsOrigins: []}),
			},
			{host: '127.0.0.1', port: 0},
		);
		const {url} = await server.listen();
		const receivedAfter = async (ms: number) => {
			const socket = connect(Number(new URL(url).port), '127.0.0.1');
			let received = 0;
			socket.on('error', () => {});
			socket.once('data', (first: Buffer) => {
				received += first.length;
				socket.pause();
				clock.advance(ms);
				socket.on('data', (more: Buffer) => {
					received += more.length;
				});
				setImmediate(() => socket.resume());
			});
			socket.write('GET /open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
			await once(socket, 'close');
			return received;
		};
		expect(await receivedAfter(60_000)).toBeGreaterThan(size);
		expect(await receivedAfter(60_000 + size / 16)).toBeLessThan(size);
		await advanceUntil(server.close(), clock);
	});

	test('by a client that leaves in the middle of its body harms nobody', async () => {
		await using api = await startApi({models});
		const {port} = new URL(api.url);
		for (let count = 0; count < 20; count++) {
			const socket = connect(Number(port), '127.0.0.1');
			socket.on('error', () => {});
			await new Promise<void>(resolve => {
				socket.write(`${headOf(api, 'Content-Length: 100')}{"model"`, () => {
					resolve();
				});
			});
			socket.resetAndDestroy();
		}

		expect((await api.chat(good)).status).toBe(200);
	});
});
