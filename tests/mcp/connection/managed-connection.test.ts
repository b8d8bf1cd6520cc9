import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createCallQueue} from '../../../source/mcp/connection/call-queue.ts';
import {connectServer} from '../../../source/mcp/connection/connect-server.ts';
import {createManagedConnection} from '../../../source/mcp/connection/managed-connection.ts';
import type {OpenConnection} from '../../../source/mcp/connection/open-connection.ts';
import type {ServerSettings} from '../../../source/mcp/connection/state.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
import type {ConnectFailure} from '../../../source/mcp/wire/open-transport.ts';
import type {TransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {until} from '../../helpers/processes.ts';
import {
	createMemoryTransports,
	handshake,
	legacy,
	modern,
	scripted,
	type Serve,
	silent,
} from '../servers/memory-transports.ts';
import {stdioServer} from '../servers/stdio-server.ts';

/** Lets everything happen that waits for nothing else. */
async function turns(count: number) {
	for (let index = 0; index < count; index++) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await nextTurn();
	}
}

const {signal} = new AbortController();

const quietSide = {
	capabilities: {},
	register() {},
	calls: {
		count: 0,
		begin: () => ({[Symbol.dispose]() {}}),
		pause: () => ({[Symbol.dispose]() {}}),
		runId: () => undefined,
	},
};

/** A connection to a server in this process. `refusals`: how the next tries fail. */
function setUp({
	serve = legacy(),
	settings = {},
	slots = createCallQueue(4),
	transports = own => own,
	onOpened = () => {},
}: {
	readonly serve?: Serve;
	readonly settings?: ServerSettings;
	readonly slots?: ReturnType<typeof createCallQueue>;
	/** Made of the transports of the server. */
	readonly transports?: (own: TransportFactory) => TransportFactory;
	readonly onOpened?: () => void;
} = {}) {
	const clock = createFakeClock();
	const memory = createMemoryTransports(serve);
	const refusals: ConnectFailure[] = [];
	const connections: OpenConnection[] = [];
	const statuses: string[] = [];
	const managed = createManagedConnection({
		clock,
		random: () => 0,
		slots,
		settings: () => settings,
		async open(options) {
			const refusal = refusals.shift();
			if (refusal) {
				throw new ConnectError(refusal);
			}

			return connectServer(
				stdioServer('crm-server'),
				{...options, secrets: []},
				{clock, transports: transports(memory.transports), clientSide: quietSide},
			);
		},
		onOpened(opened) {
			connections.push(opened);
			onOpened();
		},
		onChange() {
			if (statuses.at(-1) !== managed.state.status) {
				statuses.push(managed.state.status);
			}
		},
	});
	const echo = async (message = 'hello', aborts = signal) =>
		managed.use(aborts, {
			task: async ({client}) => client.callTool({name: 'echo', arguments: {message}}),
			answered: () => true,
		});
	return {
		clock,
		memory,
		refusals,
		connections,
		statuses,
		managed,
		echo,
		start: ({lazy = false} = {}) => {
			managed.send({type: 'configured', enabled: true, lazy});
		},
	};
}

const passing = {kind: 'passing', message: 'no answer'} as const;

test('it connects when it is configured, and calls share the connection', async () => {
	const {managed, start, echo, memory, statuses} = setUp();
	await using _ = managed;
	start();
	await Promise.all([echo('a'), echo('b'), echo('c')]);

	expect(memory.sent).toHaveLength(1);
	expect(statuses).toEqual(['connecting', 'connected']);
	expect(managed.state).toMatchObject({calls: 0, proven: true});
});

test('a lazy server connects with the first call, once for all that come at that moment', async () => {
	const {managed, start, echo, memory} = setUp();
	await using _ = managed;
	start({lazy: true});
	await managed.settled();
	expect(memory.sent).toHaveLength(0);
	await Promise.all([echo('a'), echo('b')]);

	expect(memory.sent).toHaveLength(1);
});

test('a call to a recycled server connects again', async () => {
	const {managed, start, echo, memory, clock, statuses} = setUp({settings: {idleMs: 60_000}});
	await using _ = managed;
	start();
	await echo();
	clock.advance(60_000);
	await managed.ended();
	expect(memory.count()).toBe(0);
	await echo();

	expect(statuses).toEqual(['connecting', 'connected', 'recycled', 'connecting', 'connected']);
	expect(memory.count()).toBe(1);
});

test('what fails is tried again when its time has come, without anybody asking', async () => {
	const {managed, start, clock, refusals} = setUp();
	await using _ = managed;
	refusals.push(passing, passing);
	start();
	await managed.settled();
	expect(managed.state).toMatchObject({status: 'failed', nextAttemptAt: 1000});
	clock.advance(1000);
	await managed.settled();
	clock.advance(2000);
	await managed.settled();

	expect(managed.state.status).toBe('connected');
});

test('a caller that waits is told why there is no connection', async () => {
	const {managed, start, echo, refusals} = setUp();
	await using _ = managed;
	refusals.push({kind: 'needs-login', message: 'log in with svc mcp login crm'});
	start({lazy: true});

	await expect(echo()).rejects.toMatchObject({
		failure: {kind: 'needs-login', message: 'log in with svc mcp login crm'},
	});
	await expect(echo()).rejects.toBeInstanceOf(ConnectError);
	expect(managed.why()).toEqual({kind: 'needs-login', message: 'log in with svc mcp login crm'});
});

test('a caller that gives up while it connects is let go; the connection is made all the same', async () => {
	const {managed, start, echo} = setUp();
	await using _ = managed;
	start({lazy: true});
	const controller = new AbortController();
	const call = echo('a', controller.signal);
	controller.abort(new Error('run cancelled'));

	await expect(call).rejects.toThrow('run cancelled');
	await managed.settled();
	expect(managed.state.status).toBe('connected');
});

test('a connection that breaks is made again after a pause', async () => {
	const {managed, start, echo, memory, clock} = setUp();
	await using _ = managed;
	start();
	await echo();
	await memory.drop();
	await until(() => managed.state.status === 'failed');
	expect(managed.current).toBeUndefined();
	clock.advance(1000);
	await managed.settled();

	expect(managed.state.status).toBe('connected');
	expect(memory.count()).toBe(1);
});

test.each([
	['ping', legacy(), 'legacy'],
	['server/discover', modern({handshake: 'reject'}), 'modern'],
] as const)('the liveness check is %s, beside the calls', async (method, serve, era) => {
	const {managed, start, clock, memory} = setUp({serve, settings: {keepaliveMs: 180_000}});
	await using _ = managed;
	start();
	await managed.settled();
	expect(managed.current?.era).toBe(era);
	const before = memory.sent.at(-1)?.length;
	clock.advance(180_000);
	await until(() => managed.pingMs !== undefined);

	expect(memory.sent.at(-1)?.slice(before)).toEqual([method]);
	expect(managed.state).toMatchObject({status: 'connected', checking: false, proven: true});
});

test('a server that never learnt to ping lists its tools instead, from then on', async () => {
	const {managed, start, clock, memory} = setUp({
		settings: {keepaliveMs: 5000},
		serve: scripted({initialize: handshake, 'tools/list': () => ({tools: []})}),
	});
	await using _ = managed;
	start();
	await managed.settled();
	const before = memory.sent[0]?.length ?? 0;
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) === before + 2);
	await until(() => managed.state.status === 'connected' && !managed.state.checking);
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) === before + 3);

	expect(memory.sent[0]?.slice(before)).toEqual(['ping', 'tools/list', 'tools/list']);
});

test('a server that answers no check within 30 s is connected again', async () => {
	let deaf = false;
	const {managed, start, clock, memory, statuses} = setUp({
		settings: {keepaliveMs: 5000},
		async serve(transport) {
			await legacy()(transport, 1);
			const hear = transport.onmessage?.bind(transport);
			const receive: typeof hear = (message, extra) => {
				if (!deaf) {
					hear?.(message, extra);
				}
			};

			Object.assign(transport, {onmessage: receive});
		},
	});
	await using _ = managed;
	start();
	await managed.settled();
	deaf = true;
	const before = memory.sent[0]?.length ?? 0;
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) > before);
	clock.advance(30_000);
	await until(() => memory.sent[0]?.at(-1) === 'tools/list');
	clock.advance(30_000);
	await until(() => managed.state.status === 'failed');

	expect(managed.state).toMatchObject({reason: 'It did not answer a liveness check within 30 s'});
	expect(statuses).toEqual(['connecting', 'connected', 'failed']);
});

test('connections wait for their turn, unless somebody waits for them', async () => {
	const slots = createCallQueue(1);
	const end = Promise.withResolvers<void>();
	void slots.run(signal, async () => end.promise);
	const {managed, start, echo, memory} = setUp({slots});
	await using _ = managed;
	start();
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	expect(memory.sent).toHaveLength(0);
	await echo();

	expect(managed.state.status).toBe('connected');
	end.resolve();
});

test('nothing is told, and nothing tried, after the end', async () => {
	const {managed, start, echo, memory, clock, statuses} = setUp({settings: {keepaliveMs: 5000}});
	start();
	await echo();
	await managed[Symbol.asyncDispose]();
	const before = [...statuses];
	clock.advance(1e9);

	expect(memory.count()).toBe(0);
	expect(memory.sent).toHaveLength(1);
	expect(statuses).toEqual(before);
	await expect(echo()).rejects.toBeInstanceOf(ConnectError);
});

test('an end while it connects leaves nothing behind', async () => {
	const {managed, start, memory} = setUp();
	start();
	await until(() => memory.sent.length === 1);
	await managed[Symbol.asyncDispose]();

	await until(() => memory.count() === 0);
	expect(managed.current).toBeUndefined();
});

/** A managed whose connections are made, lost and ended when the test says so. */
function setUpByHand() {
	const clock = createFakeClock();
	const made: Array<{
		readonly done: () => void;
		readonly gone: AbortController;
		readonly ended: PromiseWithResolvers<void>;
		isEnding: boolean;
	}> = [];
	const managed = createManagedConnection({
		clock,
		random: () => 0,
		slots: createCallQueue(4),
		settings: () => ({}),
		async open() {
			const ready = Promise.withResolvers<void>();
			const one = {
				done: ready.resolve,
				gone: new AbortController(),
				ended: Promise.withResolvers<void>(),
				isEnding: false,
			};
			made.push(one);
			await ready.promise;
			return {
				signal: one.gone.signal,
				async [Symbol.asyncDispose]() {
					one.isEnding = true;
					await one.ended.promise;
				},
			} as unknown as OpenConnection;
		},
		onOpened() {},
		onChange() {},
	});
	const turn = async () =>
		new Promise(resolve => {
			setImmediate(resolve);
		});
	return {clock, managed, made, turn};
}

test('a new connection waits until the old one has ended: two processes would fight for their files', async () => {
	const {managed, made, turn} = setUpByHand();
	managed.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	made[0]?.done();
	await managed.settled();
	managed.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	expect(made[0]?.isEnding).toBe(true);
	expect(made).toHaveLength(1);
	made[0]?.ended.resolve();
	await turn();

	expect(made).toHaveLength(2);
});

test('a connection that comes too late is ended, and changes nothing', async () => {
	const {managed, made, turn} = setUpByHand();
	managed.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	managed.send({type: 'dismissed'});
	made[0]?.done();
	await turn();

	expect(made[0]?.isEnding).toBe(true);
	expect(managed.current).toBeUndefined();
	expect(managed.state.status).toBe('recycled');
});

test('a connection that was lost the moment it was made is a failed try', async () => {
	const {managed, made, turn} = setUpByHand();
	managed.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	made[0]?.gone.abort(new ConnectError({kind: 'passing', message: 'It exited with code 1'}));
	made[0]?.done();
	await turn();

	expect(managed.state).toMatchObject({
		status: 'failed',
		reason: 'It exited with code 1',
		failures: 1,
	});
	expect(made[0]?.isEnding).toBe(true);
});

/** Transports whose connections take until `release` to end. */
function slowToEnd() {
	const {promise, resolve: release} = Promise.withResolvers<void>();
	const transports = (own: TransportFactory): TransportFactory => ({
		...own,
		async open(...parameters) {
			const opened = await own.open(...parameters);
			return {
				...opened,
				async [Symbol.asyncDispose]() {
					await promise;
					await opened[Symbol.asyncDispose]();
				},
			};
		},
	});
	return {transports, release};
}

test('a try that is given up has ended before the next one begins: two processes of one server would fight for its files', async () => {
	const {transports, release} = slowToEnd();
	const {managed, start, memory} = setUp({
		serve: async (transport, connection) =>
			connection === 1 ? silent(transport, connection) : legacy()(transport, connection),
		transports,
	});
	await using _ = managed;
	start();
	await until(() => memory.sent[0]?.includes('initialize') === true);
	start();
	let hasEnded = false;
	const ended = managed.ended().then(() => {
		hasEnded = true;
		return undefined;
	});
	await turns(20);
	expect(memory.sent).toHaveLength(1);
	expect(hasEnded).toBe(false);
	release();
	await ended;
	await managed.settled();

	expect(memory.sent).toHaveLength(2);
	expect(managed.state.status).toBe('connected');
});

test('a try that did not connect in time is tried again when it has ended; nobody waits for that longer than 3 s', async () => {
	const {transports} = slowToEnd();
	const {managed, start, memory, clock} = setUp({serve: silent, transports});
	start();
	await until(() => memory.sent[0]?.includes('initialize') === true);
	clock.advance(60_000);
	await turns(20);
	expect(managed.state.status).toBe('connecting');
	clock.advance(3000);
	await managed.settled();

	expect(managed.state).toMatchObject({
		status: 'failed',
		reason: 'It did not connect within 60 s (connect_timeout)',
	});
	void managed[Symbol.asyncDispose]();
});

test('a connection that nobody can make anything of is ended, not left behind', async () => {
	const {managed, start, memory} = setUp({
		onOpened() {
			throw new Error('what a list');
		},
	});
	await using _ = managed;
	start();
	await managed.settled();

	expect(managed.state).toMatchObject({status: 'failed', reason: 'what a list'});
	expect(managed.current).toBeUndefined();
	await managed.ended();
	expect(memory.count()).toBe(0);
});
