// @module-tag slow
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {describe, expect, test} from 'vitest';
import {z} from 'zod';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {makeCertificates} from '../servers/certificates.ts';
import {remoteServer, startHttp} from '../servers/http-server.ts';
import {startModern} from '../servers/modern-server.ts';
import {createSessionListener} from '../servers/session-listener.ts';
import {startStateful} from '../servers/stateful-server.ts';
import {eraServer} from '../servers/stdio-server.ts';
import {openManager} from './open-manager.ts';

type Started = AsyncDisposable & {readonly server: ToolServerConfig};

const kinds = {
	async 'legacy over HTTP'(): Promise<Started> {
		const http = await startStateful();
		return {...http, server: remoteServer(http.url)};
	},
	async 'dual-era over HTTP'(): Promise<Started> {
		const http = await startModern('stateless');
		return {...http, server: remoteServer(http.url)};
	},
	async 'modern-only over HTTP'(): Promise<Started> {
		const http = await startModern('reject');
		return {...http, server: remoteServer(http.url)};
	},
	'dual-era over stdio': async () => stdio('serve'),
	'modern-only over stdio': async () => stdio('reject'),
};

const stdio = (handshake: 'serve' | 'reject'): Started => ({
	server: eraServer(handshake),
	async [Symbol.asyncDispose]() {},
});

describe('"auto: legacy initialize first, falling back to server/discover when rejected as modern-only; stateless: server/discover first with one legacy retry; legacy: handshake only, no fallback"', () => {
	test.for([
		['legacy over HTTP', 'auto', 'legacy'],
		['legacy over HTTP', 'stateless', 'legacy'],
		['legacy over HTTP', 'legacy', 'legacy'],
		['dual-era over HTTP', 'auto', 'legacy'],
		['dual-era over HTTP', 'stateless', 'modern'],
		['dual-era over HTTP', 'legacy', 'legacy'],
		['modern-only over HTTP', 'auto', 'modern'],
		['modern-only over HTTP', 'stateless', 'modern'],
		['dual-era over stdio', 'auto', 'legacy'],
		['dual-era over stdio', 'stateless', 'modern'],
		['dual-era over stdio', 'legacy', 'legacy'],
		['modern-only over stdio', 'auto', 'modern'],
		['modern-only over stdio', 'stateless', 'modern'],
	] as const)('%s, %s: %s', async ([kind, protocol, era]) => {
		await using started = await kinds[kind]();
		await using managed = await openManager();
		await managed.apply({...started.server, protocol});
		expect(managed.view()).toMatchObject({
			status: 'connected',
			protocol: expect.stringMatching(
				era === 'modern' ? /^stateless 2026-07-28$/ : /^legacy 2025-\d\d-\d\d$/,
			),
		});
		expect((await managed.call('echo', {message: 'hello'})).text).toMatch(/^(?:Echo: )?hello$/);
	});

	test.for(['modern-only over HTTP', 'modern-only over stdio'] as const)(
		'%s, legacy: refused',
		async kind => {
			await using started = await kinds[kind]();
			await using managed = await openManager();
			await managed.apply({...started.server, protocol: 'legacy'});

			expect(managed.view().status).not.toBe('connected');
			expect(managed.view()).toMatchObject({tools: [], reason: expect.stringMatching(/version/i)});
		},
	);
});

test('a wall that asks for a login is no reason to try another protocol', async () => {
	await using http = await startHttp((request, response) => {
		request.resume();
		response.writeHead(401, {'content-type': 'application/json'}).end('{}');
	});
	await using managed = await openManager();
	await managed.apply({...remoteServer(http.url, {skipPreflight: true}), protocol: 'auto'});

	expect(managed.view().status).not.toBe('connected');
	expect(http.requests.filter(({method}) => method === 'POST')).toHaveLength(1);
});

/** `look` only reads, `act` does not say so; `runs` counts what was done. `held`: what a call waits for. */
function countingServer(runs: string[], held: () => Promise<void> = async () => {}) {
	return () => {
		const server = new McpServer({name: 'counting', version: '1.0.0'});
		for (const [name, annotations] of [
			['look', {readOnlyHint: true}],
			['act', {}],
		] as const) {
			server.registerTool(name, {annotations, inputSchema: z.object({})}, async () => {
				runs.push(name);
				await held();
				return {content: [{type: 'text', text: `${name} ${runs.length}`}]};
			});
		}

		return server;
	};
}

describe('a session that the server has forgotten (a true 404)', () => {
	test('"connected | transport session expires mid-call | readOnlyHint: true | connected | call replayed transparently"', async () => {
		const runs: string[] = [];
		await using http = await startStateful(countingServer(runs));
		await using managed = await openManager();
		await managed.apply(remoteServer(http.url));
		expect(await managed.call('look')).toEqual({text: 'look 1'});
		http.forget();

		expect(await managed.call('look')).toEqual({text: 'look 2'});
		expect(managed.view().status).toBe('connected');
		expect(http.sessions.size).toBe(1);
	});

	test('"connected | transport session expires mid-call | tool lacks that annotation | connected | call returns outcome_uncertain"', async () => {
		const runs: string[] = [];
		await using http = await startStateful(countingServer(runs));
		await using managed = await openManager();
		await managed.apply(remoteServer(http.url));
		expect(await managed.call('act')).toEqual({text: 'act 1'});
		http.forget();
		const {text, isError} = await managed.call('act');

		expect(isError).toBe(true);
		expect(JSON.parse(text)).toEqual({
			error: expect.stringContaining('"act" of the tool server "crm"'),
			outcome_uncertain: true,
			server: 'crm',
			tool: 'act',
			reason: 'session_expired',
		});
		expect(runs).toEqual(['act']);
		await managed.reached('connected');
		expect(await managed.call('act')).toEqual({text: 'act 2'});
	});

	test('one new session serves all calls that met the old one', async () => {
		const runs: string[] = [];
		await using http = await startStateful(countingServer(runs));
		await using managed = await openManager();
		await managed.apply({...remoteServer(http.url), parallel: true});
		http.forget();
		const results = await Promise.all(Array.from({length: 8}, async () => managed.call('look')));

		expect(results.filter(({isError}) => isError)).toEqual([]);
		expect(runs).toHaveLength(8);
		expect(http.sessions.size).toBe(1);
	});

	test('a replay that meets a forgotten session again is not replayed once more', async () => {
		const runs: string[] = [];
		const {listener, sessions} = createSessionListener(countingServer(runs));
		let isForgetful = false;
		await using http = await startHttp((request, response) => {
			void (async () => {
				const text = (await request.toArray()).join('');
				if (isForgetful && text.includes('tools/call')) {
					sessions.clear();
				}

				const again = Object.assign(request, {rawBody: Buffer.from(text)});
				listener(again, response);
			})();
		});
		await using managed = await openManager();
		await managed.apply(remoteServer(http.url, {skipPreflight: true}));
		isForgetful = true;
		const {text} = await managed.call('look');

		expect(JSON.parse(text)).toMatchObject({outcome_uncertain: true, reason: 'session_expired'});
		expect(runs).toEqual([]);
	});
});

describe.for([
	['JSON', true],
	['an event stream', false],
] as const)('an answer as %s that breaks off', ([, json]) => {
	test('"replay once only for readOnlyHint: true"', async () => {
		const runs: string[] = [];
		const held = [Promise.withResolvers<void>()];
		const started = Promise.withResolvers<void>();
		await using http = await startStateful(
			countingServer(runs, async () => {
				started.resolve();
				await held.shift()?.promise;
			}),
			{json},
		);
		await using managed = await openManager();
		await managed.apply(remoteServer(http.url));
		const call = managed.call('look');
		await started.promise;
		http.drop();

		expect(await call).toEqual({text: 'look 2'});
		expect(runs).toEqual(['look', 'look']);
	});

	test('"else {error, outcome_uncertain: true, server}"; within 3 s', async () => {
		const runs: string[] = [];
		const held = [Promise.withResolvers<void>()];
		const called = Promise.withResolvers<void>();
		await using http = await startStateful(
			countingServer(runs, async () => {
				called.resolve();
				await held.shift()?.promise;
			}),
			{json},
		);
		await using managed = await openManager();
		await managed.apply(remoteServer(http.url));
		const call = managed.call('act');
		await called.promise;
		const start = performance.now();
		http.drop();
		const {text, isError} = await call;

		expect(performance.now() - start).toBeLessThan(3000);
		expect(isError).toBe(true);
		expect(JSON.parse(text)).toEqual({
			error: expect.stringContaining('"act" of the tool server "crm"'),
			outcome_uncertain: true,
			server: 'crm',
			tool: 'act',
			reason: expect.stringMatching(/^(?:stream_lost|closed)$/),
		});
		expect(runs).toEqual(['act']);
		expect(await managed.call('act')).toEqual({text: 'act 2'});
	});
});

describe('mutual TLS', () => {
	const start = async () => {
		const stack = new AsyncDisposableStack();
		const certificates = stack.use(await makeCertificates());
		const {listener} = createSessionListener(countingServer([]));
		const http = stack.use(await startHttp(listener, certificates.mutual));
		return {
			...http,
			file: certificates.file,
			[Symbol.asyncDispose]: async () => stack.disposeAsync(),
		};
	};

	test('"client_cert: [cert, key, password]; ssl_verify: path to a PEM CA bundle": a call goes through', async () => {
		await using http = await start();
		await using managed = await openManager();
		await managed.apply(
			remoteServer(http.url, {
				tls: {
					verify: http.file('ca.pem'),
					client: {
						cert: http.file('client.pem'),
						key: http.file('locked.key'),
						password: 'open sesame',
					},
				},
			}),
		);

		expect(managed.view()).toMatchObject({status: 'connected', transport: 'http'});
		expect(await managed.call('look')).toEqual({text: 'look 1'});
	});

	test('without a certificate, with a wrong password and without the authority: each is said', async () => {
		await using http = await start();
		await using managed = await openManager();
		const verify = http.file('ca.pem');
		const key = {cert: http.file('client.pem'), key: http.file('locked.key')};
		const server = (name: string, tls: Parameters<typeof remoteServer>[1]) => ({
			...remoteServer(http.url, tls),
			name,
		});
		await managed.apply(
			server('none', {tls: {verify}}),
			server('password', {tls: {verify, client: {...key, password: 'open barley'}}}),
			server('authority', {tls: {verify: true, client: {...key, password: 'open sesame'}}}),
			server('missing', {tls: {verify, client: {cert: http.file('nothing.pem')}}}),
		);
		const reasonOf = (name: string) => managed.view(name).reason ?? '';

		expect(reasonOf('none')).toMatch(/certificate/);
		expect(reasonOf('password')).toMatch(/password|passphrase|decrypt/i);
		expect(reasonOf('authority')).toMatch(/certificate/);
		expect(reasonOf('missing')).toMatch(/^MCP server 'missing': client_cert not found/);
		expect(managed.manager.views().map(({status}) => status)).not.toContain('connected');
	});
});
