import {once} from 'node:events';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {GatewayState} from '../../source/core/state.ts';
import {startControlServer} from '../../source/gateway/control-server.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import {connectGateway} from '../../source/gateway/remote-port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeDelivery, received} from '../helpers/make.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';

/** Resolves when `holds` is true of the state of `port`. */
async function until(port: GatewayPort, holds: (state: GatewayState) => boolean): Promise<void> {
	const {promise, resolve} = Promise.withResolvers<void>();
	const look = () => {
		if (holds(port.getState())) {
			resolve();
		}
	};

	const leave = port.subscribe(look);
	look();
	await promise;
	leave();
}

const server = async (port: ReturnType<typeof createFakePort>, socket: string) =>
	startControlServer({port, version: '1', log: silentLogger}, {socket});

test('a face attaches to a gateway whose state is larger than what may stay unread', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const port = createFakePort();
	const message = 'x'.repeat(20_000);
	for (let count = 0; count < 1500; count++) {
		port.emit({
			type: 'log-written',
			at: count,
			record: {at: count, level: 'info', source: 'test', message, fields: {}},
		});
	}

	await using control = await server(port, socket);
	expect(control).toBeDefined();
	await using face = await connectGateway({clock: systemClock}, {socket});

	expect(face.getState().logs).toHaveLength(1500);
});

test('a face that attaches while events flow counts each once', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const port = createFakePort();
	await using control = await server(port, socket);
	expect(control).toBeDefined();
	await using first = await connectGateway({clock: systemClock}, {socket});
	for (let count = 0; count < 20; count++) {
		port.emit(received(makeDelivery()));
	}

	await using second = await connectGateway({clock: systemClock}, {socket});
	port.emit(received(makeDelivery()));
	await until(first, state => state.totals.received >= 21);
	await until(second, state => state.totals.received >= 21);
	expect(first.getState().totals.received).toBe(21);
	expect(second.getState().totals.received).toBe(21);
	expect(second.getState().deliveries).toHaveLength(21);
});

test('who leaves while the gateway is being looked for leaves no connection behind', async () => {
	await using home = await temporaryHome();
	const socket = join(home.path, 'gateway.sock');
	const clock = createFakeClock();
	const port = createFakePort();
	const control = await server(port, socket);
	const face = await connectGateway({clock}, {socket});
	await control[Symbol.asyncDispose]();
	await until(face, state => !state.gateway.reachable);

	// Something that takes connections and says nothing yet.
	const silent = createServer();
	const connected = once(silent, 'connection');
	silent.listen(socket);
	await once(silent, 'listening');
	clock.advance(2000);
	const [connection] = await connected;
	await face[Symbol.asyncDispose]();
	const ended = once(connection, 'close');
	connection.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
	connection.resume();
	await ended;
	expect(connection.destroyed).toBe(true);
	silent.close();
	await once(silent, 'close');
});
