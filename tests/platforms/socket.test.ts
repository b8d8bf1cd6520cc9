import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, test} from 'vitest';
import {createOpenSocket} from '../../source/platforms/socket.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {takeWebSockets} from './web-socket-server.ts';

/** A server that sends these frames to every socket. */
async function serve(...frames: readonly string[]) {
	const opened: unknown[] = [];
	const server = createServer();
	takeWebSockets(server, {
		accepts: ({url}) => url !== '/refused',
		onOpen(socket) {
			opened.push(socket);
			for (const frame of frames) {
				socket.send(frame);
			}
		},
		onText() {},
		onClose() {},
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	const open = createOpenSocket({clock: createFakeClock(), clean: text => text});
	return {
		opened,
		open: async (signal: AbortSignal = new AbortController().signal, path = '/') =>
			open(`ws://127.0.0.1:${port}${path}`, {platform: 'discord', signal}),
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
		},
	};
}

test('aborted while its program is loaded, nothing is opened', async () => {
	await using served = await serve();
	const ending = new AbortController();
	const opening = served.open(ending.signal);
	ending.abort(new Error('it ends'));
	await expect(opening).rejects.toThrow('it ends');
	expect(served.opened).toEqual([]);
});

test('a server that answers without an upgrade is named with a reason', async () => {
	await using served = await serve();
	const opening = served.open(undefined, '/refused');
	await expect(opening).rejects.toThrow(/127\.0\.0\.1:\d+: it did not accept a web socket/);
});

test('a frame has at most 4 MiB, whatever characters it has', async () => {
	const most = 'x'.repeat(4 * 1024 * 1024);
	await using served = await serve(most, '€'.repeat(1_400_000));
	using socket = await served.open();
	expect(await socket.next()).toBe(most);
	await expect(socket.next()).rejects.toThrow('too large');
});
