import {once} from 'node:events';
import {createServer as createHttpServer, type ServerResponse} from 'node:http';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {version} from '../../source/core/program.ts';
import {initialState, type GatewayState} from '../../source/core/state.ts';
import {startControlServer} from '../../source/gateway/control/control-server.ts';
import {streamMessage} from '../../source/gateway/control/event-stream.ts';
import {connectGateway} from '../../source/gateway/control/remote-port.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeShownTool, makeFormApproval, makeToolApproval} from '../helpers/make-approval.ts';
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

/** Resolves in the first turn of the event loop in which `holds` is true. */
async function waitFor(holds: () => boolean): Promise<void> {
	while (!holds()) {
		// oxlint-disable-next-line no-await-in-loop -- one turn after the other
		await turn();
	}
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

/** What some reader somewhere takes for the end of a line. */
const lineEnds = '\u2028\u2029\u0085\v\f\r\n\u001c\u001d\u001e';

test('no character that ends a line somewhere keeps a face out', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const text = `a${lineEnds}b`;
	const port = createFakePort();
	const tool = makeShownTool({description: text});
	port.emit(
		{
			type: 'approval-requested',
			at: 1,
			approval: makeToolApproval({id: 1, tool, args: {[text]: text}}),
		},
		{type: 'approval-requested', at: 1, approval: makeFormApproval({id: 2, message: text})},
	);
	await using control = await server(port, socket);
	expect(control).toBeDefined();
	await using face = await connectGateway({clock: systemClock}, {socket});
	expect(face.getState()).toEqual(port.getState());

	port.emit({
		type: 'approval-requested',
		at: 1,
		approval: makeFormApproval({id: 3, message: text}),
	});
	await until(face, ({approvals}) => approvals.length === 3);
	expect(face.getState()).toEqual(port.getState());
});

/** A gateway whose event streams say what a test writes into them. */
async function rawGateway(socket: string, onStream: (stream: ServerResponse) => void) {
	const raw = createHttpServer((_, response) => {
		response.writeHead(200, {'content-type': 'text/event-stream'});
		onStream(response);
	});
	raw.listen(socket);
	await once(raw, 'listening');
	return {
		async [Symbol.asyncDispose]() {
			raw.closeAllConnections();
			raw.close();
			await once(raw, 'close');
		},
	};
}

const stateMessage = (home: string) => {
	const state = createFakePort().getState();
	return streamMessage('state', {...state, gateway: {...state.gateway, home}});
};

test('what cannot be read is said and skipped, and the whole state is asked for again', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const clock = createFakeClock();
	const streams: ServerResponse[] = [];
	await using raw = await rawGateway(socket, stream => {
		streams.push(stream);
		stream.write(stateMessage(`/home/${streams.length}`));
	});
	expect(raw).toBeDefined();
	await using face = await connectGateway({clock}, {socket});
	streams[0]?.write('event: events\ndata: [{"type":"pass\u2028word\n\n');
	await until(face, ({gateway}) => gateway.skipped !== undefined);
	const {gateway, logs} = face.getState();
	expect(gateway).toMatchObject({
		skipped: 'its 19 characters are no JSON',
		reachable: true,
		home: '/home/1',
	});
	expect(logs.map(({message}) => message)).toEqual([
		'Skipped something that the gateway said: its 19 characters are no JSON',
	]);

	streams[0]?.write('event: events\ndata: null\n\n');
	streams[0]?.write(streamMessage('events', [received(makeDelivery())]));
	await until(face, ({deliveries}) => deliveries.length === 1);

	clock.advance(2000);
	await until(face, state => state.gateway.home === '/home/2');
	expect(face.getState().gateway.skipped).toBeUndefined();
	expect(face.getState().logs).toHaveLength(2);
	expect(streams).toHaveLength(2);
	clock.advance(10_000);
	streams[1]?.write(streamMessage('events', [received(makeDelivery())]));
	await until(face, ({deliveries}) => deliveries.length === 1);
	expect(streams).toHaveLength(2);
});

const otherState = (change: Readonly<Record<string, unknown>>): string =>
	streamMessage('state', {...initialState, ...change});

const noState = 'it is not what a state is to this version';

test.each<readonly [what: string, bytes: string, reason: string]>([
	['is no JSON', 'event: state\ndata: {"a":\n\n', 'its 5 characters are no JSON'],
	['is something else', 'event: state\ndata: []\n\n', noState],
	['has no name', 'data: {}\n\n', 'it is neither a state nor events'],
	...Object.keys(initialState).map(
		key => [`lacks "${key}"`, otherState({[key]: undefined}), noState] as const,
	),
	[
		'is of another version',
		otherState({runs: undefined, gateway: {...initialState.gateway, version: '99.0.0'}}),
		`to this version, svc ${version}; the gateway is svc 99.0.0`,
	],
	['has an object for a list', otherState({runs: {}}), noState],
	['has a list for an object', otherState({progress: []}), noState],
])('a face whose first state %s says so', async (_, bytes, reason) => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	await using raw = await rawGateway(socket, stream => {
		stream.write(bytes);
	});
	expect(raw).toBeDefined();
	await expect(connectGateway({clock: systemClock}, {socket})).rejects.toMatchObject({
		code: 'gateway_unreadable',
		message: expect.stringContaining(reason),
	});
});

test('a state that cannot be read after a gap leaves the old one, and events go on', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const clock = createFakeClock();
	const streams: ServerResponse[] = [];
	await using raw = await rawGateway(socket, stream => {
		streams.push(stream);
		stream.write(streams.length === 1 ? stateMessage('/home/1') : 'event: state\ndata: x\n\n');
	});
	expect(raw).toBeDefined();
	await using face = await connectGateway({clock}, {socket});
	streams[0]?.end();
	await until(face, ({gateway}) => !gateway.reachable);
	clock.advance(2000);
	await until(face, ({gateway}) => gateway.skipped !== undefined);
	streams[1]?.write(streamMessage('events', [received(makeDelivery())]));
	await until(face, ({deliveries}) => deliveries.length === 1);
	expect(face.getState().gateway.home).toBe('/home/1');
});

test('events of a later version are passed over, and those beside them count', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const port = createFakePort();
	const answers: ServerResponse[] = [];
	const gateway = createHttpServer((_request, response) => {
		answers.push(response);
		response.writeHead(200, {'content-type': 'text/event-stream'});
		response.write(streamMessage('state', port.getState()));
	});
	gateway.listen(socket);
	await once(gateway, 'listening');
	await using stack = new AsyncDisposableStack();
	stack.defer(() => {
		gateway.closeAllConnections();
		gateway.close();
	});
	const face = stack.use(await connectGateway({clock: systemClock}, {socket}));
	const told: string[] = [];
	face.subscribe(events => {
		told.push(...events.map(({type}) => type));
	});
	answers[0]?.write(
		streamMessage('events', [
			{type: 'something-new', at: 1},
			1,
			null,
			{type: 'webhook-closed', at: 2},
		] as never),
	);
	await until(face, ({webhook}) => webhook.state === 'closed');

	expect(told).toEqual(['webhook-closed']);
	expect(face.getState().gateway.skipped).toBeUndefined();
});

test('what stays unreadable is asked for less and less often, another reason soon again', async () => {
	await using home = await temporaryHome();
	const socket = home.file('gateway.sock');
	const clock = createFakeClock();
	const streams: ServerResponse[] = [];
	let bad = 'x';
	let asked = Promise.withResolvers<void>();
	await using raw = await rawGateway(socket, stream => {
		streams.push(stream);
		stream.write(streams.length === 1 ? stateMessage('/home/1') : `event: state\ndata: ${bad}\n\n`);
		asked.resolve();
	});
	expect(raw).toBeDefined();
	await using face = await connectGateway({clock}, {socket});
	/** Seconds until the face asks again for what it could not read. */
	const nextPause = async () => {
		await waitFor(() => clock.timersLeft > 0);
		asked = Promise.withResolvers<void>();
		let seconds = 0;
		while (clock.timersLeft > 0) {
			clock.advance(1000);
			seconds += 1;
		}

		await asked.promise;
		return seconds;
	};

	streams[0]?.write('event: events\ndata: x\n\n');
	const pauses: number[] = [];
	for (let count = 0; count < 7; count++) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		pauses.push(await nextPause());
	}

	expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60]);
	await waitFor(() => clock.timersLeft > 0);
	bad = 'xyz';
	expect(await nextPause()).toBe(60);
	expect(await nextPause()).toBe(2);
	expect(await nextPause()).toBe(4);
	expect(face.getState().gateway.home).toBe('/home/1');
});
