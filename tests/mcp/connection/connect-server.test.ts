import type {JSONRPCMessage} from '@modelcontextprotocol/client';
import {expect, test} from 'vitest';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {connectServer, type ConnectOptions} from '../../../source/mcp/connection/connect-server.ts';
import {ConnectError} from '../../../source/mcp/wire/connect-error.ts';
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

const clientSide = {
	capabilities: {},
	register() {},
	calls: {
		count: 0,
		begin: () => ({[Symbol.dispose]() {}}),
		pause: () => ({[Symbol.dispose]() {}}),
		runId: () => undefined,
	},
};

function setUp(serve: Serve) {
	const clock = createFakeClock();
	const memory = createMemoryTransports(serve);
	const lost: string[] = [];
	const go = async (
		changes: Partial<ToolServerConfig> = {},
		options: Partial<ConnectOptions> = {},
	) =>
		connectServer(
			{...stdioServer('crm-server'), ...changes},
			{
				signal: new AbortController().signal,
				secrets: [],
				onLost: ({message}) => lost.push(message),
				...options,
			},
			{clock, transports: memory.transports, clientSide},
		);
	return {clock, memory, lost, go};
}

const dual = modern({handshake: 'serve'});

/** @see manual/tool-servers.md#settings */
test.for([
	['auto', 'legacy', legacy(), 'legacy', 1],
	['auto', 'modern-only', modern(), 'modern', 2],
	['auto', 'dual-era', dual, 'legacy', 1],
	['stateless', 'legacy', legacy(), 'legacy', 1],
	['stateless', 'modern-only', modern(), 'modern', 1],
	['stateless', 'dual-era', dual, 'modern', 1],
	['legacy', 'legacy', legacy(), 'legacy', 1],
	['legacy', 'dual-era', dual, 'legacy', 1],
] as const)(
	'protocol %s, %s server: connects by %s, in that many connections',
	async ([protocol, , serve, era, connections]) => {
		const {memory, go} = setUp(serve);
		await using opened = await go({protocol});

		expect(opened.era).toBe(era);
		expect(opened.facts.version).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
		expect(opened.listing.tools.map(({name}) => name)).toEqual(['echo', 'write']);
		expect(memory.sent).toHaveLength(connections);
		expect(memory.count()).toBe(1);
	},
);

test('"legacy: handshake only, no fallback"', async () => {
	const {memory, go} = setUp(modern());

	await expect(go({protocol: 'legacy'})).rejects.toBeInstanceOf(ConnectError);
	expect(memory.sent).toHaveLength(1);
	expect(memory.count()).toBe(0);
});

test('what a modern server said of itself saves the next connection the question', async () => {
	const {memory, go} = setUp(modern());
	const first = await go();
	const {discover} = first.facts;
	await first[Symbol.asyncDispose]();
	await using second = await go({}, {discover});

	expect(second.era).toBe('modern');
	expect(memory.sent.slice(2)).toEqual([['tools/list']]);
});

test('a server that has become an older one meanwhile is asked anew', async () => {
	const {discover} = (await setUp(modern()).go()).facts;
	const {memory, go} = setUp(legacy());
	await using opened = await go({}, {discover});

	expect(opened.era).toBe('legacy');
	expect(memory.count()).toBe(1);
});

test('a server that says nothing fails after connect_timeout, and nothing is left of it', async () => {
	const {clock, memory, go} = setUp(silent);
	const connecting = go({connectTimeoutMs: 60_000}).catch((error: unknown) => error);
	await until(() => memory.sent[0]?.includes('initialize') ?? false);
	clock.advance(59_999);
	expect(memory.count()).toBe(1);
	clock.advance(1);

	expect(await connecting).toMatchObject({
		failure: {kind: 'passing', message: 'It did not connect within 60 s (connect_timeout)'},
	});
	await until(() => memory.count() === 0);
});

test('connect_timeout is for the whole: handshake and list together', async () => {
	const {clock, memory, go} = setUp(async (transport, connection) => {
		const slowly = () => {
			clock.advance(40_000);
			return handshake();
		};
		await scripted({initialize: slowly})(transport, connection);
		const receive = transport.onmessage?.bind(transport);
		Object.assign(transport, {
			onmessage(message: JSONRPCMessage) {
				if (!('method' in message && message.method === 'tools/list')) {
					receive?.(message);
				}
			},
		});
	});
	const connecting = go({connectTimeoutMs: 60_000}).catch((error: unknown) => error);
	await until(() => memory.sent[0]?.includes('tools/list') ?? false);
	clock.advance(20_000);

	expect(await connecting).toMatchObject({failure: {kind: 'passing'}});
});

test('a list that is refused is no refusal of the handshake', async () => {
	const {memory, go} = setUp(scripted({initialize: handshake}));

	await expect(go()).rejects.toMatchObject({failure: {kind: 'passing'}});
	expect(memory.sent).toHaveLength(1);
});

test('an abort ends a connect with its reason', async () => {
	const {memory, go} = setUp(silent);
	const controller = new AbortController();
	const connecting = go({}, {signal: controller.signal}).catch((error: unknown) => error);
	await until(() => memory.count() === 1);
	const reason = new Error('not wanted');
	controller.abort(reason);

	expect(await connecting).toBe(reason);
	await until(() => memory.count() === 0);
});

test('a loss is told once, and the end that was asked for is none', async () => {
	const first = setUp(legacy());
	await using opened = await first.go();
	await first.memory.drop();
	await until(() => first.lost.length > 0);
	expect(opened.signal.aborted).toBe(true);
	await opened[Symbol.asyncDispose]();
	expect(first.lost).toHaveLength(1);

	const second = setUp(legacy());
	const ended = await second.go();
	await ended[Symbol.asyncDispose]();
	expect(second.lost).toEqual([]);
	expect(ended.signal.aborted).toBe(true);
});
