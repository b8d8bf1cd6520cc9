import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startApi, type Api} from '../helpers/api.ts';
import {startTestGateway} from '../helpers/gateway.ts';
import {rawExchange} from '../helpers/raw-http.ts';

describe('the chat API', () => {
	let api: Api;

	beforeAll(async () => {
		api = await startApi();
	});

	afterAll(async () => {
		await api[Symbol.asyncDispose]();
	});

	test('lists the models that a key may use, each with all that clients read', async () => {
		await using modelled = await startApi({
			models: {
				mine: {agent: true, context_length: 128_000, max_output_tokens: 4096},
				fast: {relay: true},
			},
		});
		const answer = await modelled.ask('/v1/models');
		expect(answer.status).toBe(200);
		expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
		const {object, data} = (await answer.json()) as {object: string; data: JsonObject[]};
		expect(object).toBe('list');
		expect(data.map(({id}) => id)).toEqual(['svc-title-1', 'mine', 'fast']);
		expect(data[1]).toMatchObject({
			id: 'mine',
			object: 'model',
			created: expect.any(Number),
			owned_by: 'svc',
			context_length: 128_000,
			max_output_tokens: 4096,
		});
		for (const path of ['/v1/models/mine', '/v1/models/mine/']) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			expect(await (await modelled.ask(path)).json()).toEqual(data[1]);
		}

		expect((await modelled.ask('/v1/models/')).status).toBe(200);
		expect((await modelled.ask('/v1/models//')).status).toBe(404);
		// What stands in no file is there, too.
		const list = (await (await api.ask('/v1/models')).json()) as {data: JsonObject[]};
		expect(list.data.map(({id}) => id)).toEqual(['svc-title-1', 'svc-agent-1', 'svc-model-1']);
	});

	test('answers in the stated order: 401, 404, 405, then 403; each with the shape of an error', async () => {
		const narrow = await api.gateway.port.createKey({
			name: 'narrow',
			kind: 'live',
			endpoints: ['chat'],
			models: ['svc-model-*'],
			agents: false,
		});
		const listing = await api.gateway.port.createKey({
			name: 'listing',
			kind: 'live',
			endpoints: ['models'],
			models: ['svc-model-*'],
			agents: true,
		});
		const cases = [
			['GET', '/v1/models', null, 401, 'missing_api_key'],
			['GET', '/v1/nothing', null, 401, 'missing_api_key'],
			['GET', '/v1/models', 'svc_live_x', 401, 'invalid_api_key'],
			['GET', '/v1/nothing', api.key, 404, 'unknown_url'],
			['DELETE', '/v1/models', api.key, 405, 'method_not_allowed'],
			['GET', '/v1/models/never', narrow.secret, 404, 'model_not_found'],
			['GET', '/v1/models', narrow.secret, 403, 'endpoint_access_denied'],
			['GET', '/v1/models/svc-agent-1', listing.secret, 403, 'model_access_denied'],
		] as const;
		for (const [method, path, key, status, code] of cases) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other, to read what failed
			const answer = await api.ask(path, {method, key});
			// oxlint-disable-next-line no-await-in-loop -- as above
			const body: unknown = await answer.json();
			expect({method, path, status: answer.status, body}).toEqual({
				method,
				path,
				status,
				body: {
					error: {
						message: expect.any(String),
						type: expect.any(String),
						param: code === 'model_not_found' || code === 'model_access_denied' ? 'model' : null,
						code,
					},
				},
			});
			expect(answer.headers.get('x-request-id')).toMatch(/./);
		}

		expect((await api.ask('/v1/models', {method: 'DELETE'})).headers.get('allow')).toBe('GET');
		expect(await (await api.ask('/v1/models', {key: listing.secret})).json()).toMatchObject({
			data: [{id: 'svc-model-1'}],
		});
	});

	test('what newer editions of the responses API have is refused with what to use instead', async () => {
		const compact = await api.ask('/v1/responses/compact', {
			method: 'POST',
			body: '{"input":"Hi"}',
		});
		expect([compact.status, await compact.json()]).toEqual([
			404,
			{
				error: {
					message: expect.stringMatching(/^Cannot POST .* not served; .* POST \/v1\/responses/),
					type: 'invalid_request_error',
					param: null,
					code: 'unknown_url',
				},
			},
		]);
		const {
			answers: [answer],
		} = await rawExchange(
			{port: Number(new URL(api.url).port)},
			`GET /v1/responses HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${api.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
		);
		expect(answer?.status).toBe(405);
		expect(JSON.parse(answer?.body ?? '')).toEqual({
			error: {
				message:
					'Cannot open a WebSocket: it is not served; POST with "stream": true sends the same events',
				type: 'invalid_request_error',
				param: null,
				code: 'method_not_allowed',
			},
		});
	});

	test('takes the name of a request from a client that sends a sane one', async () => {
		const named = await api.ask('/v1/models', {headers: {'x-request-id': 'trace-7.a'}});
		expect(named.headers.get('x-request-id')).toBe('trace-7.a');
		const odd = await api.ask('/v1/models', {headers: {'x-request-id': 'a b'}});
		expect(odd.headers.get('x-request-id')).toMatch(/^req_/);
	});

	test('a revoked key passes no more, at once', async () => {
		const {key, secret} = await api.gateway.port.createKey({
			name: 'revoked',
			kind: 'live',
			endpoints: ['models'],
			models: ['*'],
			agents: true,
		});
		expect((await api.ask('/v1/models', {key: secret})).status).toBe(200);
		await api.gateway.port.revokeKey(key.id);
		const answer = await api.ask('/v1/models', {key: secret});
		expect(answer.status).toBe(401);
		expect(answer.headers.get('www-authenticate')).toBe('Bearer');
	});

	test('answers the question of a browser before it asks for a key, for pages that are listed', async () => {
		await using open = await startApi({cors_origins: ['https://chat.example.com']});
		const asked = await open.ask('/v1/chat/completions', {
			method: 'OPTIONS',
			key: null,
			headers: {origin: 'https://chat.example.com', 'access-control-request-method': 'POST'},
		});
		expect(asked.status).toBe(204);
		expect(asked.headers.get('access-control-allow-origin')).toBe('https://chat.example.com');
		expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
		// OpenAI's library says in headers of its own what it is.
		for (const [wanted, allowed] of [
			[
				'authorization,content-type,x-stainless-lang,x-stainless-os',
				/, x-stainless-lang, x-stainless-os$/,
			],
			['x-a, bad header', /x-svc-approval, x-a$/],
			[`x-${'a'.repeat(3000)}`, /x-svc-approval$/],
		] as const) {
			const {headers} = await open.ask('/v1/chat/completions', {
				method: 'OPTIONS',
				key: null,
				headers: {
					origin: 'https://chat.example.com',
					'access-control-request-headers': wanted,
				},
			});
			expect(headers.get('access-control-allow-headers')).toMatch(allowed);
		}

		for (const origin of [
			'null',
			'https://chat.example.com.evil.example',
			'http://chat.example.com',
		]) {
			const odd = await open.ask('/v1/models', {headers: {origin}});
			expect(odd.headers.get('access-control-allow-origin')).toBeNull();
			expect(odd.headers.get('vary')).toBe('Origin');
		}

		const answer = await open.ask('/v1/models', {headers: {origin: 'https://chat.example.com'}});
		expect(answer.headers.get('access-control-allow-origin')).toBe('https://chat.example.com');
		const other = await open.ask('/v1/models', {
			method: 'OPTIONS',
			key: null,
			headers: {origin: 'https://evil.example'},
		});
		expect(other.headers.get('access-control-allow-origin')).toBeNull();
		const shut = await api.ask('/v1/models', {
			method: 'OPTIONS',
			key: null,
			headers: {origin: 'https://chat.example.com'},
		});
		expect(shut.status).toBe(401);
		expect(shut.headers.get('access-control-allow-origin')).toBeNull();
	});

	test('a request that is no HTTP, or has no end, gets an answer or is cut, and the next is served', async () => {
		const {port} = new URL(api.url);
		const {answers} = await rawExchange({port: Number(port)}, 'GARBAGE\r\n\r\n');
		expect(answers[0]?.status ?? 400).toBe(400);
		expect((await api.ask('/v1/models')).status).toBe(200);
	});

	test('goes with its configuration: off, on, and refused where the port is taken, while the rest serves', async () => {
		const {gateway, url} = api;
		const {port} = new URL(url);
		await using other = await startTestGateway({
			config: {api: {enabled: true, port: Number(port)}},
		});
		const refused = await other.until(({api: now}) => now?.state === 'refused');
		expect(refused.api).toMatchObject({
			code: 'port_in_use',
			reason: expect.stringContaining('api.port'),
		});
		expect(refused.webhook.state).toBe('listening');
		expect((await other.port.status()).api).toEqual({refused: expect.stringContaining(port)});
		expect((await gateway.port.status()).api).toEqual({url});
	});
});
