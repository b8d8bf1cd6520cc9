import {getEventListeners} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setImmediate as turn} from 'node:timers/promises';
import type {Dispatcher} from 'undici';
import {expect, test} from 'vitest';
import {createModelFetch} from '../../source/agent/model-fetch.ts';
import {postTo} from '../../source/agent/model-request.ts';

async function start(answer: (response: ServerResponse) => void, maxAnswerBytes = 1_000_000) {
	const server = createServer((request, response) => {
		request.resume();
		request.on('end', () => {
			answer(response);
		});
	});
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const model = createModelFetch({maxAnswerBytes});
	return {
		ask: async (signal = new AbortController().signal) =>
			model.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`, {
				headers: {},
				body: '{}',
				signal,
			}),
		async [Symbol.asyncDispose]() {
			await model[Symbol.asyncDispose]();
			server.closeAllConnections();
			await new Promise(resolve => {
				server.close(resolve);
			});
		},
	};
}

test('an answer is read part by part to its end, after what may come before it', async () => {
	await using server = await start(response => {
		response.writeEarlyHints({link: '</a>; rel=preload'});
		response.writeHead(200, {'x-kind': 'short'});
		response.end('Paris');
	});
	const {signal} = new AbortController();
	const reply = await server.ask(signal);
	expect([reply.status, reply.header('x-kind'), reply.header('x-none')]).toEqual([
		200,
		'short',
		null,
	]);
	expect(String(await reply.read())).toBe('Paris');
	expect(await reply.read()).toBeUndefined();
	expect(await reply.read()).toBeUndefined();
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('what had come before an answer broke is read first, though nobody asked for it until then', async () => {
	const handlers: Dispatcher.DispatchHandler[] = [];
	const dispatcher: Pick<Dispatcher, 'dispatch'> = {
		dispatch: (_, handler) => handlers.push(handler) > 0,
	};
	const {signal} = new AbortController();
	const asked = postTo(dispatcher, 'http://127.0.0.1/v1/chat', {
		headers: {},
		body: '{}',
		signal,
		maxBytes: 100,
	});
	const controller: Dispatcher.DispatchController = {
		aborted: false,
		paused: false,
		reason: null,
		abort() {},
		pause() {},
		resume() {},
	};
	const [handler] = handlers;
	handler?.onRequestStart?.(controller, {});
	handler?.onResponseStart?.(controller, 200, {}, 'OK');
	handler?.onResponseData?.(controller, Buffer.from('Par'));
	handler?.onResponseData?.(controller, Buffer.from('is'));
	handler?.onResponseError?.(controller, new Error('broke'));
	const reply = await asked;
	expect(String(await reply.read())).toBe('Paris');
	await expect(reply.read()).rejects.toThrow('broke');
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('one that is too large fails where it becomes so, and one that breaks after what had come', async () => {
	let isCut = false;
	await using server = await start(response => {
		if (isCut) {
			response.writeHead(200, {'content-length': '100'});
			response.write('Par', () => response.destroy());
		} else {
			response.end(Buffer.alloc(1_000_001));
		}
	});
	const readAll = async () => {
		const reply = await server.ask();
		let bytes = 0;
		for (let part = await reply.read(); part; part = await reply.read()) {
			bytes += part.byteLength;
		}

		return bytes;
	};
	await expect(readAll()).rejects.toMatchObject({code: 'answer_too_large'});
	isCut = true;
	const reply = await server.ask();
	expect(String(await reply.read())).toBe('Par');
	await expect(reply.read()).rejects.toThrow(/closed/);
	await expect(reply.read()).rejects.toThrow(/closed/);
});

test('no more than a little is read ahead of who asks for it, and the rest when it is asked for', async () => {
	const part = Buffer.alloc(65_536);
	const parts = 512;
	let sent = 0;
	await using server = await start(
		response => {
			const more = () => {
				while (sent < parts) {
					sent += 1;
					if (!response.write(part)) {
						response.once('drain', more);
						return;
					}
				}

				response.end();
			};
			more();
		},
		2 * parts * part.byteLength,
	);
	const reply = await server.ask();
	let before = -1;
	let calm = 0;
	// Until nothing moves any more.
	while (calm < 200) {
		calm = before === sent ? calm + 1 : 0;
		before = sent;
		await turn();
	}

	expect(sent).toBeLessThan(parts / 2);
	let bytes = 0;
	for (let read = await reply.read(); read; read = await reply.read()) {
		bytes += read.byteLength;
	}

	expect(bytes).toBe(parts * part.byteLength);
});

test('who gives up ends it, and begins nothing', async () => {
	let sent = 0;
	const {promise: closed, resolve: close} = Promise.withResolvers<void>();
	await using server = await start(response => {
		response.once('close', close);
		const more = () => {
			while (!response.destroyed && sent < 900 && response.write(Buffer.alloc(1000))) {
				sent += 1;
			}

			response.once('drain', more);
		};
		more();
	});
	const giving = new AbortController();
	const reply = await server.ask(giving.signal);
	const reading = reply.read();
	expect((await reading)?.byteLength).toBeGreaterThan(0);
	giving.abort(new Error('enough'));
	await closed;
	const rest = async () => {
		while (await reply.read());
	};
	await expect(rest()).rejects.toThrow('enough');
	await expect(server.ask(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
});
