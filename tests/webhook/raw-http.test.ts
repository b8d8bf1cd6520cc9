import {connect} from 'node:net';
import type {Socket} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';
import {signV2} from './sign.ts';
import {makeRoute, secret, send, startReceiver} from './start-receiver.ts';
import type {TestReceiver} from './start-receiver.ts';

/** Sends `bytes` and returns everything that comes back until the server closes. */
async function exchange({port}: TestReceiver, bytes: string): Promise<string> {
	const socket = connect(port, '127.0.0.1');
	socket.write(bytes, 'latin1');
	return text(socket);
}

const statuses = (answers: string) =>
	[...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const signed = (receiver: TestReceiver, body: string) =>
	Object.entries(signV2(secret, body, receiver.clock.now()))
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join('');

const startOf = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n`;

const toHook = startOf('/webhooks/hook');

const chunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`;

/** Cases that a strict parser refuses, each a known way to smuggle a request or to tire a server. */
const refusedAt = (
	path: string,
	start = startOf(path),
): ReadonlyArray<readonly [name: string, status: number, bytes: string]> => [
	[
		'Content-Length and Transfer-Encoding',
		400,
		`${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
	],
	['two equal Content-Length', 400, `${start}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
	['two unequal Content-Length', 400, `${start}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
	['Content-Length: +2', 400, `${start}Content-Length: +2\r\n\r\n{}`],
	['Content-Length: -1', 400, `${start}Content-Length: -1\r\n\r\n{}`],
	['Transfer-Encoding: xchunked', 400, `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
	[
		'Transfer-Encoding: gzip, chunked',
		400,
		`${start}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
	],
	[
		'Transfer-Encoding: gzip chunked',
		400,
		`${start}Transfer-Encoding: gzip chunked\r\n\r\n0\r\n\r\n`,
	],
	[
		'Transfer-Encoding: chunked, chunked',
		400,
		`${start}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`,
	],
	[
		'Transfer-Encoding: chunked;q=1',
		400,
		`${start}Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n`,
	],
	['Transfer-Encoding: , chunked', 400, `${start}Transfer-Encoding: , chunked\r\n\r\n0\r\n\r\n`],
	[
		'Transfer-Encoding: gzip,\tchunked',
		400,
		`${start}Transfer-Encoding: gzip,\tchunked\r\n\r\n0\r\n\r\n`,
	],
	[
		'Transfer-Encoding: chunked, identity',
		400,
		`${start}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
	],
	['bare line feeds', 400, `POST ${path} HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}`],
	['space before the colon', 400, `${start}Content-Length : 2\r\n\r\n{}`],
	['a folded header', 400, `${start}X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}`],
	['NUL in a header', 400, `${start}X-A: b\u0000c\r\nContent-Length: 2\r\n\r\n{}`],
	[
		'chunk size overflow',
		400,
		`${start}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
	],
	['a broken chunk size', 400, `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
	['not HTTP', 400, 'hello\r\n\r\n'],
	['20 KiB of headers', 431, `${start}X-A: ${'a'.repeat(20_480)}\r\n\r\n`],
	[
		'32 KiB of chunk extensions',
		413,
		`${start}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(32_768)}\r\n{}\r\n0\r\n\r\n`,
	],
];

const profilePath = '/p/work/webhooks/deploy';

const startBoth = async () =>
	startReceiver({
		routes: [makeRoute(), makeRoute({name: 'deploy', profile: 'work'})],
		multiplexing: true,
	});

test.for([
	...refusedAt('/webhooks/hook'),
	...refusedAt(profilePath).map(
		([name, status, bytes]) => [`below /p/: ${name}`, status, bytes] as const,
	),
])('%s: %i and the connection is closed', async ([, status, bytes]) => {
	await using receiver = await startBoth();
	const answers = await exchange(receiver, bytes);
	expect(statuses(answers)).toEqual([status]);
	expect(answers).toMatch(/\r\nConnection: close\r\n/i);
	expect(receiver.woken).toEqual([]);

	const metrics = await send(receiver.url, {path: '/metrics'});
	expect(metrics.text).toContain(`svc_webhook_refused_requests_total{status="${status}"} 1\n`);
});

test.for(['/webhooks/hook', profilePath])('no Host: 400: %s', async path => {
	await using receiver = await startBoth();
	const bytes = `POST ${path} HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`;
	expect(statuses(await exchange(receiver, bytes))).toEqual([400]);
	expect(receiver.events).toEqual([]);
});

test.for(['/webhooks/hook', profilePath])(
	'413 above the declared size before the body is read; the connection is closed: %s',
	async path => {
		await using receiver = await startBoth();
		const socket = connect(receiver.port, '127.0.0.1');
		socket.write(`${startOf(path)}Content-Length: 2097152\r\n\r\n`);
		await firstBytes(socket, /Payload too large"\}$/);
		receiver.clock.advance(2000);
		await text(socket);
		expect(receiver.last()).toMatchObject({status: 413, bodyBytes: 0});
	},
);

test.for(['/webhooks/hook', profilePath])(
	'`Expect: 100-continue` with a body too large: 413, never 100: %s',
	async path => {
		await using receiver = await startBoth();
		const answers = await exchange(
			receiver,
			`${startOf(path)}Expect: 100-continue\r\nContent-Length: 2097152\r\n\r\n`,
		);
		expect(statuses(answers)).toEqual([413]);
	},
);

test('`Expect: 100-continue` to an unknown route: 404, never 100', async () => {
	await using receiver = await startReceiver();
	const answers = await exchange(
		receiver,
		'POST /webhooks/nobody HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
	);
	expect(statuses(answers)).toEqual([404]);
});

test('`Expect: 100-continue` with an acceptable size: 100, then the answer', async () => {
	await using receiver = await startReceiver();
	const socket = connect(receiver.port, '127.0.0.1');
	socket.write(
		`${toHook}Connection: close\r\n${signed(receiver, '{}')}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
	);
	await firstBytes(socket, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
	socket.write('{}');
	expect(statuses(await text(socket))).toEqual([202]);
});

test('another expectation: 417 in JSON, and the connection is closed', async () => {
	await using receiver = await startReceiver();
	const answers = await exchange(
		receiver,
		`${toHook}Expect: miracles\r\nContent-Length: 2097152\r\n\r\n`,
	);
	expect(statuses(answers)).toEqual([417]);
	expect(answers).toMatch(/\r\nContent-Type: application\/json; charset=utf-8\r\n/);
	expect(answers).toMatch(/\r\nConnection: close\r\n/);
	expect(answers).toMatch(/\r\n\r\n\{"error":"Expectation Failed"\}$/);

	const metrics = await send(receiver.url, {path: '/metrics'});
	expect(metrics.text).toContain('svc_webhook_refused_requests_total{status="417"} 1\n');
});

test('a chunked body above the limit: 413 as soon as it is, and the client that goes on sending still reads it', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({maxBodyBytes: 100})]});
	const answers = await exchange(
		receiver,
		`${toHook}Transfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(60_000)).repeat(30)}0\r\n\r\n`,
	);
	expect(statuses(answers)).toEqual([413]);
	expect(receiver.step('size')).toBe('more than 100 bytes');
});

test('what follows a 413 is read for 4 MiB at most', async () => {
	await using receiver = await startReceiver({routes: [makeRoute({maxBodyBytes: 100})]});
	const socket = connect(receiver.port, '127.0.0.1');
	const errors: unknown[] = [];
	socket.on('error', error => errors.push(error));
	socket.write(`${toHook}Transfer-Encoding: chunked\r\n\r\n`);
	const piece = chunk('x'.repeat(60_000));
	const pump = () => {
		while (!socket.destroyed && socket.write(piece));
	};

	socket.on('drain', pump);
	pump();
	await new Promise(resolve => {
		socket.once('close', resolve);
		socket.resume();
	});
	expect(socket.bytesWritten).toBeGreaterThan(4 * 1024 * 1024);
	expect(receiver.last().status).toBe(413);
});

test('a chunked body within the limit is accepted', async () => {
	await using receiver = await startReceiver();
	const answers = await exchange(
		receiver,
		`${toHook}Connection: close\r\n${signed(receiver, '{"a":1}')}Transfer-Encoding: chunked\r\n\r\n${chunk('{"a"')}${chunk(':1}')}0\r\n\r\n`,
	);
	expect(statuses(answers)).toEqual([202]);
	expect(receiver.last().bodyBytes).toBe(7);
});

test.for(['/webhooks/hook', profilePath])(
	'two pipelined requests are answered in order: %s',
	async path => {
		await using receiver = await startBoth();
		const one = `${startOf(path)}${signed(receiver, '[1]')}X-Request-ID: first\r\nContent-Length: 3\r\n\r\n[1]`;
		const two = `${startOf(path)}Connection: close\r\n${signed(receiver, '[2]')}X-Request-ID: second\r\nContent-Length: 3\r\n\r\n[2]`;
		const answers = await exchange(receiver, one + two);
		expect(statuses(answers)).toEqual([202, 202]);
		expect(answers.indexOf('first')).toBeLessThan(answers.indexOf('second'));
	},
);

test('what the parser refuses after an answered request gets its 400 too', async () => {
	await using receiver = await startReceiver();
	const socket = connect(receiver.port, '127.0.0.1');
	socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
	await firstBytes(socket, /"webhook"\}$/);
	socket.write('nonsense\r\n\r\n');
	expect(statuses(await text(socket))).toEqual([400]);
});

test('a client that hangs up within its body is reported and harms nobody', async () => {
	await using receiver = await startReceiver();
	const socket = connect(receiver.port, '127.0.0.1');
	socket.write(`${toHook}Content-Length: 100\r\n\r\n{"a"`, () => {
		socket.resetAndDestroy();
	});
	while (receiver.deliveries.length === 0) {
		await new Promise<void>(resolve => {
			setImmediate(resolve);
		});
	}

	expect(receiver.last()).toMatchObject({outcome: 'body', status: 400});
	expect((await receiver.post({})).status).toBe(202);
});

test('an unknown route reads no body either', async () => {
	await using receiver = await startReceiver();
	const answers = await exchange(
		receiver,
		`POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(60_000)).repeat(4)}0\r\n\r\n`,
	);
	expect(statuses(answers)).toEqual([404]);
	expect(answers).toContain('Connection: close');
});

/** Reads until what came matches; the rest stays in the socket. */
async function firstBytes(socket: Socket, expected: RegExp): Promise<void> {
	let received = '';
	await new Promise<void>(resolve => {
		const onData = (data: Buffer) => {
			received += data.toString('latin1');
			if (expected.test(received)) {
				socket.off('data', onData);
				socket.pause();
				resolve();
			}
		};

		socket.on('data', onData);
	});
}
