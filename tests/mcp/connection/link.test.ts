import {setImmediate as nextTurn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createCallQueue} from '../../../source/mcp/connection/call-queue.ts';
import {connect} from '../../../source/mcp/connection/connect.ts';
import {createLink} from '../../../source/mcp/connection/link.ts';
import type {Live} from '../../../source/mcp/connection/live.ts';
import type {ServerSettings} from '../../../source/mcp/connection/state.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
import type {Wire} from '../../../source/mcp/wire/create-wire.ts';
import type {ConnectFailure} from '../../../source/mcp/wire/open-transport.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {
	createMemoryWire,
	handshake,
	legacy,
	modern,
	scripted,
	type Serve,
	silent,
} from '../servers/memory-wire.ts';
import {stdioServer} from '../servers/stdio-server.ts';
import {until} from '../wire/processes.ts';

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

/** A link to a server in this process. `refusals`: how the next tries fail. */
function setUp({
	serve = legacy(),
	settings = {},
	slots = createCallQueue(4),
	wire = own => own,
	onLive = () => {},
}: {
	readonly serve?: Serve;
	readonly settings?: ServerSettings;
	readonly slots?: ReturnType<typeof createCallQueue>;
	/** Made of the wire to the server. */
	readonly wire?: (own: Wire) => Wire;
	readonly onLive?: () => void;
} = {}) {
	const clock = createFakeClock();
	const memory = createMemoryWire(serve);
	const refusals: ConnectFailure[] = [];
	const lives: Live[] = [];
	const statuses: string[] = [];
	const link = createLink({
		clock,
		random: () => 0,
		slots,
		settings: () => settings,
		async open(options) {
			const refusal = refusals.shift();
			if (refusal) {
				throw new ConnectError(refusal);
			}

			return connect(
				stdioServer('crm-server'),
				{...options, secrets: []},
				{clock, wire: wire(memory.wire), clientSide: quietSide},
			);
		},
		onLive(live) {
			lives.push(live);
			onLive();
		},
		onChange() {
			if (statuses.at(-1) !== link.state.status) {
				statuses.push(link.state.status);
			}
		},
	});
	const echo = async (message = 'hello', aborts = signal) =>
		link.use(aborts, {
			task: async ({client}) => client.callTool({name: 'echo', arguments: {message}}),
			answered: () => true,
		});
	return {
		clock,
		memory,
		refusals,
		lives,
		statuses,
		link,
		echo,
		start: ({lazy = false} = {}) => {
			link.send({type: 'configured', enabled: true, lazy});
		},
	};
}

const passing = {kind: 'passing', message: 'no answer'} as const;

test('it connects when it is configured, and calls share the connection', async () => {
	const {link, start, echo, memory, statuses} = setUp();
	await using _ = link;
	start();
	await Promise.all([echo('a'), echo('b'), echo('c')]);

	expect(memory.sent).toHaveLength(1);
	expect(statuses).toEqual(['connecting', 'connected']);
	expect(link.state).toMatchObject({calls: 0, proven: true});
});

test('a lazy server connects with the first call, once for all that come at that moment', async () => {
	const {link, start, echo, memory} = setUp();
	await using _ = link;
	start({lazy: true});
	await link.settled();
	expect(memory.sent).toHaveLength(0);
	await Promise.all([echo('a'), echo('b')]);

	expect(memory.sent).toHaveLength(1);
});

test('a call to a recycled server connects again', async () => {
	const {link, start, echo, memory, clock, statuses} = setUp({settings: {idleMs: 60_000}});
	await using _ = link;
	start();
	await echo();
	clock.advance(60_000);
	await link.ended();
	expect(memory.count()).toBe(0);
	await echo();

	expect(statuses).toEqual(['connecting', 'connected', 'recycled', 'connecting', 'connected']);
	expect(memory.count()).toBe(1);
});

test('what fails is tried again when its time has come, without anybody asking', async () => {
	const {link, start, clock, refusals} = setUp();
	await using _ = link;
	refusals.push(passing, passing);
	start();
	await link.settled();
	expect(link.state).toMatchObject({status: 'failed', nextAttemptAt: 1000});
	clock.advance(1000);
	await link.settled();
	clock.advance(2000);
	await link.settled();

	expect(link.state.status).toBe('connected');
});

test('a caller that waits is told why there is no connection', async () => {
	const {link, start, echo, refusals} = setUp();
	await using _ = link;
	refusals.push({kind: 'needs-login', message: 'log in with svc mcp login crm'});
	start({lazy: true});

	await expect(echo()).rejects.toMatchObject({
		failure: {kind: 'needs-login', message: 'log in with svc mcp login crm'},
	});
	await expect(echo()).rejects.toBeInstanceOf(ConnectError);
	expect(link.why()).toEqual({kind: 'needs-login', message: 'log in with svc mcp login crm'});
});

test('a caller that gives up while it connects is let go; the connection is made all the same', async () => {
	const {link, start, echo} = setUp();
	await using _ = link;
	start({lazy: true});
	const controller = new AbortController();
	const call = echo('a', controller.signal);
	controller.abort(new Error('run cancelled'));

	await expect(call).rejects.toThrow('run cancelled');
	await link.settled();
	expect(link.state.status).toBe('connected');
});

test('a connection that breaks is made again after a pause', async () => {
	const {link, start, echo, memory, clock} = setUp();
	await using _ = link;
	start();
	await echo();
	await memory.drop();
	await until(() => link.state.status === 'failed');
	expect(link.live).toBeUndefined();
	clock.advance(1000);
	await link.settled();

	expect(link.state.status).toBe('connected');
	expect(memory.count()).toBe(1);
});

test.each([
	['ping', legacy(), 'legacy'],
	['server/discover', modern({handshake: 'reject'}), 'modern'],
] as const)('the liveness check is %s, beside the calls', async (method, serve, era) => {
	const {link, start, clock, memory} = setUp({serve, settings: {keepaliveMs: 180_000}});
	await using _ = link;
	start();
	await link.settled();
	expect(link.live?.era).toBe(era);
	const before = memory.sent.at(-1)?.length;
	clock.advance(180_000);
	await until(() => link.pingMs !== undefined);

	expect(memory.sent.at(-1)?.slice(before)).toEqual([method]);
	expect(link.state).toMatchObject({status: 'connected', checking: false, proven: true});
});

test('a server that never learnt to ping lists its tools instead, from then on', async () => {
	const {link, start, clock, memory} = setUp({
		settings: {keepaliveMs: 5000},
		serve: scripted({initialize: handshake, 'tools/list': () => ({tools: []})}),
	});
	await using _ = link;
	start();
	await link.settled();
	const before = memory.sent[0]?.length ?? 0;
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) === before + 2);
	await until(() => link.state.status === 'connected' && !link.state.checking);
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) === before + 3);

	expect(memory.sent[0]?.slice(before)).toEqual(['ping', 'tools/list', 'tools/list']);
});

test('a server that answers no check within 30 s is connected again', async () => {
	let deaf = false;
	const {link, start, clock, memory, statuses} = setUp({
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
	await using _ = link;
	start();
	await link.settled();
	deaf = true;
	const before = memory.sent[0]?.length ?? 0;
	clock.advance(5000);
	await until(() => (memory.sent[0]?.length ?? 0) > before);
	clock.advance(30_000);
	await until(() => memory.sent[0]?.at(-1) === 'tools/list');
	clock.advance(30_000);
	await until(() => link.state.status === 'failed');

	expect(link.state).toMatchObject({reason: 'It did not answer a liveness check within 30 s'});
	expect(statuses).toEqual(['connecting', 'connected', 'failed']);
});

test('connections wait for their turn, unless somebody waits for them', async () => {
	const slots = createCallQueue(1);
	const end = Promise.withResolvers<void>();
	void slots.run(signal, async () => end.promise);
	const {link, start, echo, memory} = setUp({slots});
	await using _ = link;
	start();
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	expect(memory.sent).toHaveLength(0);
	await echo();

	expect(link.state.status).toBe('connected');
	end.resolve();
});

test('nothing is told, and nothing tried, after the end', async () => {
	const {link, start, echo, memory, clock, statuses} = setUp({settings: {keepaliveMs: 5000}});
	start();
	await echo();
	await link[Symbol.asyncDispose]();
	const before = [...statuses];
	clock.advance(1e9);

	expect(memory.count()).toBe(0);
	expect(memory.sent).toHaveLength(1);
	expect(statuses).toEqual(before);
	await expect(echo()).rejects.toBeInstanceOf(ConnectError);
});

test('an end while it connects leaves nothing behind', async () => {
	const {link, start, memory} = setUp();
	start();
	await until(() => memory.sent.length === 1);
	await link[Symbol.asyncDispose]();

	await until(() => memory.count() === 0);
	expect(link.live).toBeUndefined();
});

/** A link whose connections are made, lost and ended when the test says so. */
function setUpByHand() {
	const clock = createFakeClock();
	const made: Array<{
		readonly done: () => void;
		readonly gone: AbortController;
		readonly ended: PromiseWithResolvers<void>;
		isEnding: boolean;
	}> = [];
	const link = createLink({
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
			} as unknown as Live;
		},
		onLive() {},
		onChange() {},
	});
	const turn = async () =>
		new Promise(resolve => {
			setImmediate(resolve);
		});
	return {clock, link, made, turn};
}

test('a new connection waits until the old one has ended: two processes would fight for their files', async () => {
	const {link, made, turn} = setUpByHand();
	link.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	made[0]?.done();
	await link.settled();
	link.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	expect(made[0]?.isEnding).toBe(true);
	expect(made).toHaveLength(1);
	made[0]?.ended.resolve();
	await turn();

	expect(made).toHaveLength(2);
});

test('a connection that comes too late is ended, and changes nothing', async () => {
	const {link, made, turn} = setUpByHand();
	link.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	link.send({type: 'dismissed'});
	made[0]?.done();
	await turn();

	expect(made[0]?.isEnding).toBe(true);
	expect(link.live).toBeUndefined();
	expect(link.state.status).toBe('recycled');
});

test('a connection that was lost the moment it was made is a failed try', async () => {
	const {link, made, turn} = setUpByHand();
	link.send({type: 'configured', enabled: true, lazy: false});
	await turn();
	made[0]?.gone.abort(new ConnectError({kind: 'passing', message: 'It exited with code 1'}));
	made[0]?.done();
	await turn();

	expect(link.state).toMatchObject({
		status: 'failed',
		reason: 'It exited with code 1',
		failures: 1,
	});
	expect(made[0]?.isEnding).toBe(true);
});

/** A wire whose connections take until `release` to end. */
function slowToEnd() {
	const {promise, resolve: release} = Promise.withResolvers<void>();
	const wire = (own: Wire): Wire => ({
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
	return {wire, release};
}

test('a try that is given up has ended before the next one begins: two processes of one server would fight for its files', async () => {
	const {wire, release} = slowToEnd();
	const {link, start, memory} = setUp({
		serve: async (transport, connection) =>
			connection === 1 ? silent(transport, connection) : legacy()(transport, connection),
		wire,
	});
	await using _ = link;
	start();
	await until(() => memory.sent[0]?.includes('initialize') === true);
	start();
	let hasEnded = false;
	const ended = link.ended().then(() => {
		hasEnded = true;
		return undefined;
	});
	await turns(20);
	expect(memory.sent).toHaveLength(1);
	expect(hasEnded).toBe(false);
	release();
	await ended;
	await link.settled();

	expect(memory.sent).toHaveLength(2);
	expect(link.state.status).toBe('connected');
});

test('a try that did not connect in time is tried again when it has ended; nobody waits for that longer than 3 s', async () => {
	const {wire} = slowToEnd();
	const {link, start, memory, clock} = setUp({serve: silent, wire});
	start();
	await until(() => memory.sent[0]?.includes('initialize') === true);
	clock.advance(60_000);
	await turns(20);
	expect(link.state.status).toBe('connecting');
	clock.advance(3000);
	await link.settled();

	expect(link.state).toMatchObject({
		status: 'failed',
		reason: 'It did not connect within 60 s (connect_timeout)',
	});
	void link[Symbol.asyncDispose]();
});

test('a connection that nobody can make anything of is ended, not left behind', async () => {
	const {link, start, memory} = setUp({
		onLive() {
			throw new Error('what a list');
		},
	});
	await using _ = link;
	start();
	await link.settled();

	expect(link.state).toMatchObject({status: 'failed', reason: 'what a list'});
	expect(link.live).toBeUndefined();
	await link.ended();
	expect(memory.count()).toBe(0);
});
