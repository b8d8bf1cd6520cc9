// @module-tag slow
import {expect, test} from 'vitest';
import {until} from '../../helpers/processes.ts';
import {startEverything} from '../servers/everything-server.ts';
import {always, jsonServer, remoteServer, startHttp} from '../servers/http-server.ts';
import {startStateful} from '../servers/stateful-server.ts';
import {openTransports} from './open-transports.ts';

test.for([
	['streamableHttp', 'http'],
	['sse', 'sse'],
] as const)(
	'calls the official server over %s, and fails the call when that is killed',
	async ([kind, transport]) => {
		await using transports = await openTransports();
		await using everything = await startEverything(kind);
		await using server = await transports.connect(remoteServer(everything.url, {transport}));
		expect(await server.call('echo', {message: 'hello'})).toBe('Echo: hello');

		const begun = Promise.withResolvers<void>();
		const call = server.client
			.callTool(
				{name: 'trigger-long-running-operation', arguments: {duration: 60, steps: 200}},
				{onprogress: () => begun.resolve()},
			)
			.catch((error: unknown) => error);
		await begun.promise;
		everything.kill();
		const error = await call;

		expect(error).toMatchObject({code: -32099, data: {reason: 'stream_lost'}});
		expect(server.explain(error)).toEqual({
			message: 'The stream with its answer was lost',
			kind: 'stream-lost',
		});
		await until(() => server.losses() > 0);
		expect(server.losses()).toBe(1);
	},
);

test('a session that a server has forgotten is recognised by its 404', async () => {
	await using transports = await openTransports();
	await using stateful = await startStateful();
	await using server = await transports.connect(remoteServer(stateful.url));
	expect(await server.call('echo', {message: 'hello'})).toBe('hello');
	stateful.forget();
	const failure = await server
		.call('echo', {message: 'x'})
		.catch((error: unknown) => server.explain(error));

	expect(failure).toEqual({
		message: 'It has ended the session (HTTP 404)',
		kind: 'session-expired',
	});
});

test('a session that the official server has forgotten is recognised by its 400', async () => {
	await using transports = await openTransports();
	await using everything = await startEverything('streamableHttp');
	await using server = await transports.connect(remoteServer(everything.url));
	const headers = {'mcp-session-id': server.transport.sessionId ?? ''};
	await fetch(everything.url, {method: 'DELETE', headers});
	const failure = await server
		.call('echo', {message: 'x'})
		.catch((error: unknown) => server.explain(error));

	expect(failure).toEqual({
		message: 'It has ended the session (HTTP 400)',
		kind: 'session-expired',
	});
});

test('closing ends the session on the server', async () => {
	await using transports = await openTransports();
	await using stateful = await startStateful();
	const server = await transports.connect(remoteServer(stateful.url));
	expect(stateful.sessions.size).toBe(1);
	await server[Symbol.asyncDispose]();

	expect(stateful.sessions.size).toBe(0);
	expect(server.losses()).toBe(0);
});

test('a server that is gone for the standing stream has lost the connection', async () => {
	await using transports = await openTransports();
	await using stateful = await startStateful();
	await using server = await transports.connect(remoteServer(stateful.url));
	await until(() => stateful.requests.some(({method}) => method === 'GET'));
	stateful.forget();
	stateful.drop();

	await until(() => server.losses() > 0);
	expect(server.losses()).toBe(1);
});

test('a withdrawn call lets its connection go', async () => {
	await using transports = await openTransports();
	const closed = Promise.withResolvers<void>();
	const called = Promise.withResolvers<void>();
	await using http = await startHttp(
		jsonServer({
			hang(response) {
				response.once('close', closed.resolve);
				called.resolve();
			},
		}),
	);
	await using server = await transports.connect(remoteServer(http.url));
	const controller = new AbortController();
	const call = server.client.callTool({name: 'hang'}, {signal: controller.signal});
	await called.promise;
	controller.abort();

	await expect(call).rejects.toThrow('aborted');
	await closed.promise;
});

const flood = Buffer.alloc(1024 * 1024, 'x');

/** 50 MB, as fast as they are taken; resolves with how many were. */
async function writeFlood(
	response: NodeJS.WritableStream & {destroyed?: boolean},
): Promise<number> {
	for (let count = 1; count <= 50; count++) {
		if (response.destroyed) {
			return count;
		}

		await new Promise<void>(resolve => {
			const go = () => {
				response.off('close', go);
				response.off('drain', go);
				resolve();
			};

			response.once('close', go);
			response.once('drain', go);
			if (response.write(flood)) {
				go();
			}
		});
	}

	response.end();
	return 50;
}

test.for([
	['application/json', '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'],
	[
		'text/event-stream',
		'id: 1\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"',
	],
])('an answer of 50 MB as %s fails, unread beyond 10 MB', async ([type, start]) => {
	await using transports = await openTransports();
	const taken = Promise.withResolvers<number>();
	await using http = await startHttp(
		jsonServer({
			flood(response) {
				response.writeHead(200, {'content-type': type}).write(start);
				taken.resolve(writeFlood(response));
			},
		}),
	);
	await using server = await transports.connect(remoteServer(http.url));
	const failure = await server.call('flood').catch((error: unknown) => server.explain(error));

	expect(failure).toEqual({
		message: 'The server sent a message of more than 10 MB',
		kind: 'passing',
	});
	expect(await taken.promise).toBeLessThan(30);
});

test('events of 9 MB each pass, whatever they sum up to', async () => {
	await using transports = await openTransports();
	await using http = await startHttp(
		jsonServer({
			many(response, id) {
				response.writeHead(200, {'content-type': 'text/event-stream'});
				for (let index = 0; index < 3; index++) {
					response.write(`: ${'x'.repeat(9 * 1024 * 1024)}\r\n\r\n`);
				}

				const result = {content: [{type: 'text', text: 'done'}]};
				response.end(`data: ${JSON.stringify({jsonrpc: '2.0', id, result})}\n\n`);
			},
		}),
	);
	await using server = await transports.connect(remoteServer(http.url));

	expect(await server.call('many')).toBe('done');
});

test.for([
	[
		always(200, 'text/html', '<html>'),
		'It answered with text/html where a tool server answers with JSON: is this the right URL',
		'permanent',
	],
	[
		always(401, 'text/plain', 'who are you'),
		'It refused the credentials (HTTP 401): check headers, or set auth: oauth: who are you',
		'permanent',
	],
	[
		always(403, 'text/html', '<!doctype html><p>no'),
		'It refused the credentials (HTTP 403): check headers, or set auth: oauth: a web page',
		'permanent',
	],
	[
		always(404, 'text/plain', 'no'),
		'There is no tool server at its URL (HTTP 404): no',
		'permanent',
	],
	[always(429, 'text/plain'), 'It answered with HTTP 429', 'passing'],
	[
		always(503, 'text/plain', `busy with hunter2-hunter2 ${'x'.repeat(100_000)}`),
		`It answered with HTTP 503: busy with [redacted] ${'x'.repeat(178)}…`,
		'passing',
	],
	[
		always(200, 'application/json', 'not json'),
		'Its answer is not one of a tool server',
		'passing',
	],
	[
		always(200, 'application/json', '{"a": 1}'),
		'Its answer is not one of a tool server',
		'passing',
	],
] as const)('$1', async ([handle, message, kind]) => {
	await using transports = await openTransports();
	await using http = await startHttp(handle);
	await using opened = await transports.open(remoteServer(http.url), {
		secrets: ['hunter2-hunter2'],
	});
	const {Client} = await import('@modelcontextprotocol/client');
	const failure = await new Client({name: 'test', version: '1'})
		.connect(opened.transport)
		.catch((error: unknown) => opened.explain(error));

	expect(failure).toEqual({message, kind});
});

test.for(['http', 'sse'] as const)('nothing listens there (%s)', async transport => {
	await using transports = await openTransports();
	const {url, ...place} = await startHttp(() => {});
	await place[Symbol.asyncDispose]();
	await using opened = await transports.open(remoteServer(url, {transport}));
	const {Client} = await import('@modelcontextprotocol/client');
	const failure = await new Client({name: 'test', version: '1'})
		.connect(opened.transport)
		.catch((error: unknown) => opened.explain(error));

	expect(failure).toEqual({
		message: 'It cannot be reached: nothing listens there (connection refused)',
		kind: 'passing',
	});
});

test('an abort ends a connection that is being made', async () => {
	await using transports = await openTransports();
	await using http = await startHttp(() => {});
	for (const transport of ['http', 'sse'] as const) {
		const controller = new AbortController();
		await using opened = await transports.open(remoteServer(http.url, {transport}), {
			signal: controller.signal,
		});
		const {Client} = await import('@modelcontextprotocol/client');
		const connecting = new Client({name: 'test', version: '1'}).connect(opened.transport);
		const seen = http.requests.length;
		const ended = connecting.then(
			() => 'connected',
			() => 'failed',
		);
		await until(() => http.requests.length > seen);
		controller.abort();

		expect(await ended).toBe('failed');
		expect(opened.explain(new Error('x')).message).toBe('The connection was cancelled');
	}
});
