import {once} from 'node:events';
import {createServer, type Socket} from 'node:net';
import {expect, test} from 'vitest';
import {callControl} from '../../source/gateway/control/control-client.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command} from './command.ts';

/** A home whose gateway is stopped: the kernel takes connections for it. Whatever it says is `words`. */
async function open(words = '') {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome({'run/gateway.pid': '4711\n'}));
	const sockets: Socket[] = [];
	const server = createServer(socket => {
		sockets.push(socket);
		socket.on('error', () => {}).resume();
		socket.write(words);
	});
	const socket = home.file('run/gateway.sock');
	server.listen(socket);
	await once(server, 'listening');
	stack.defer(async () => {
		for (const each of sockets) {
			each.destroy();
		}

		server.close();
		await once(server, 'close');
	});
	return {home: home.path, socket, [Symbol.asyncDispose]: () => stack.disposeAsync()};
}

test.for([
	['at all', ''],
	['to its end', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half'],
] as const)(
	'a gateway that does not answer %s is not waited for without end',
	async ([, words]) => {
		await using gateway = await open(words);
		await expect(callControl(gateway.socket, '/v1/status', {silenceMs: 20})).rejects.toMatchObject({
			code: 'gateway_silent',
		});
	},
);

test(
	'every command says within seconds which process does not answer',
	{timeout: 30_000},
	async () => {
		await using gateway = await open();
		const commands = [
			['gateway', 'status'],
			['gateway', 'stop'],
			['deliveries', 'list'],
			['--output', 'compact'],
		];
		const ran = await Promise.all(commands.map(async args => command(args, gateway)));
		for (const {code, stderr} of ran) {
			expect([code, stderr]).toEqual([
				1,
				'svc: Cannot reach the gateway: it does not answer within 5 s, and may be stopped or very busy: process 4711 runs for this home (gateway_silent)\n',
			]);
		}
	},
);
