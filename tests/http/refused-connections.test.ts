import {connect, type Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {startServer, type TestServer} from './start-server.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const wait = 'GET /wait HTTP/1.1\r\nHost: a\r\n\r\n';
const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

const open = async ({port}: TestServer, bytes: string): Promise<Socket> => {
	const socket = connect(port, '127.0.0.1');
	socket.on('error', () => {});
	await new Promise<void>(resolve => {
		socket.once('connect', resolve);
	});
	socket.write(bytes);
	return socket;
};

const statusesIn = (answers: string): readonly number[] =>
	[...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

const until = async (holds: () => boolean) => {
	while (!holds()) {
		await turn();
	}
};

test.each([
	['CONNECT', tunnel],
	['what is no HTTP', 'nonsense\r\n\r\n'],
	['a header that is too large', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
])('whoever sends %s and resets the connection at once ends nothing but that', async (_, bytes) => {
	await using server = await startServer({maxConnections: 64});
	for (let count = 0; count < 30; count++) {
		const socket = await open(server, bytes);
		if (count % 2 === 0) {
			await turn();
		}

		socket.resetAndDestroy();
	}

	const socket = await open(server, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
	expect(statusesIn(await text(socket))).toEqual([200]);
});

test.each([
	['what is no HTTP', 'nonsense\r\n\r\n', 400],
	[
		'a body in broken chunks',
		'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
		400,
	],
	['CONNECT', tunnel, 405],
] as const)('%s is answered after the requests before it', async (_, bytes, status) => {
	await using server = await startServer({maxConnections: 64});
	const socket = await open(server, `${wait}${bytes}`);
	const answers = text(socket);
	await until(() => server.counts().waiting === 1);
	// The refused bytes were there before; nothing of them may be answered yet.
	for (let count = 0; count < 20; count++) {
		await turn();
	}

	server.go();
	expect(statusesIn(await answers)).toEqual([200, status]);
});

test('a sender that is refused while it still sends reads why', async () => {
	await using server = await startServer({maxConnections: 64});
	const socket = await open(server, 'nonsense\r\n\r\n');
	const answer = text(socket);
	for (let count = 0; count < 20; count++) {
		socket.write('x'.repeat(64 * 1024));
	}

	expect(statusesIn(await answer)).toEqual([400]);
});

test('a request whose handler fails is answered 503 in JSON, and the next one is served', async () => {
	await using server = await startServer({maxConnections: 64});
	const failed = await open(server, 'GET /fail HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
	const answer = await text(failed);
	expect(statusesIn(answer)).toEqual([503]);
	expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({error: expect.any(String)});
	expect(server.log.join('\n')).toContain('Cannot answer 1 request');
	const next = await open(server, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
	expect(statusesIn(await text(next))).toEqual([200]);
});

test.each([
	['what is no HTTP', 'nonsense\r\n\r\n', 'debug Refused 1 request without HTTP: 400, '],
	[
		'a header that is too large',
		`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
		'debug Refused 1 request without HTTP: 431, ',
	],
	[
		'what the handler fails at',
		'GET /fail HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
		'error Cannot answer 1 request',
	],
])('a flood of %s writes one line a minute, which counts them', async (_, bytes, line) => {
	await using server = await startServer({maxConnections: 64});
	const ask = async (count: number) => {
		for (let index = 0; index < count; index++) {
			await text(await open(server, bytes));
		}
	};

	await ask(6);
	expect(server.log).toEqual([expect.stringContaining(line)]);
	server.clock.advance(60_000);
	await ask(1);
	expect(server.log.slice(1)).toEqual([
		expect.stringContaining(line.replace('1 request', '6 requests')),
	]);
});
