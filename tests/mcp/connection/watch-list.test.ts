import type {McpServer} from '@modelcontextprotocol/server';
import {expect, test} from 'vitest';
import {z} from 'zod';
import {connectServer} from '../../../source/mcp/connection/connect-server.ts';
import type {OpenConnection} from '../../../source/mcp/connection/open-connection.ts';
import {watchList} from '../../../source/mcp/connection/watch-list.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {until} from '../../helpers/processes.ts';
import {
	createMemoryTransports,
	legacy,
	modern,
	sampleServer,
} from '../servers/memory-transports.ts';
import {stdioServer} from '../servers/stdio-server.ts';

const turn = async () =>
	new Promise(resolve => {
		setImmediate(resolve);
	});

async function setUp(era: 'legacy' | 'modern') {
	const clock = createFakeClock();
	const servers: McpServer[] = [];
	const make = () => {
		const server = sampleServer();
		servers.push(server);
		return server;
	};
	const memory = createMemoryTransports(era === 'legacy' ? legacy(make) : modern({make}));
	const opened = await connectServer(
		stdioServer('crm-server'),
		{signal: new AbortController().signal, secrets: [], onLost() {}},
		{
			clock,
			transports: memory.transports,
			clientSide: {
				capabilities: {},
				register() {},
				calls: {
					count: 0,
					begin: () => ({[Symbol.dispose]() {}}),
					pause: () => ({[Symbol.dispose]() {}}),
					runId: () => undefined,
				},
			},
		},
	);
	const lists: string[][] = [];
	watchList(opened, {
		clock,
		async refresh() {
			const {tools} = await opened.list(opened.signal);
			lists.push(tools.map(({name}) => name));
		},
	});
	const sent = () => memory.sent.at(-1) ?? [];
	return {
		clock,
		opened,
		lists,
		sent,
		add(name: string) {
			for (const server of servers) {
				server.registerTool(name, {inputSchema: z.object({})}, async () => ({content: []}));
			}
		},
	};
}

test.each(['legacy', 'modern'] as const)(
	'a %s server that says its tools changed is asked for them',
	async era => {
		const {opened, lists, sent, ...server} = await setUp(era);
		await using _ = opened;
		await until(() => era === 'legacy' || sent().includes('subscriptions/listen'));
		await turn();
		server.add('new-tool');
		await until(() => lists.length > 0);

		expect(lists.at(-1)).toEqual(['echo', 'write', 'new-tool']);
	},
);

test('a server that announces changes all the time is asked once a second', async () => {
	const {clock, opened, lists, ...server} = await setUp('legacy');
	await using _ = opened;
	for (let count = 0; count < 50; count++) {
		server.add(`tool-${count}`);
		await turn();
	}

	await until(() => lists.length === 1);
	for (let count = 0; count < 20; count++) {
		await turn();
	}

	expect(lists).toHaveLength(1);
	clock.advance(1000);
	await until(() => lists.length === 2);
	expect(lists.at(-1)).toHaveLength(52);
});

test('nothing is asked for after the end', async () => {
	const {clock, opened, lists, ...server} = await setUp('legacy');
	await opened[Symbol.asyncDispose]();
	server.add('late');
	clock.advance(10_000);
	await turn();

	expect(lists).toEqual([]);
});

/** A modern connection whose subscriptions end when the test says so. */
function modernByHand() {
	const clock = createFakeClock();
	const gone = new AbortController();
	const subscriptions: Array<(how: 'graceful' | 'remote') => void> = [];
	const refusals: unknown[] = [];
	let refreshed = 0;
	const opened = {
		era: 'modern',
		signal: gone.signal,
		client: {
			getServerCapabilities: () => ({tools: {listChanged: true}}),
			setNotificationHandler() {},
			async listen() {
				const refusal = refusals.shift();
				if (refusal !== undefined) {
					subscriptions.push(() => {});
					throw refusal as Error;
				}

				const {promise, resolve} = Promise.withResolvers<'graceful' | 'remote'>();
				subscriptions.push(resolve);
				return {closed: promise};
			},
		},
	} as unknown as OpenConnection;
	watchList(opened, {
		clock,
		async refresh() {
			refreshed++;
		},
	});
	return {clock, gone, subscriptions, refusals, refreshed: () => refreshed};
}

test('a subscription that breaks is opened again, and what was missed is asked for', async () => {
	const {clock, subscriptions, refreshed} = modernByHand();
	await turn();
	expect(subscriptions).toHaveLength(1);
	subscriptions[0]?.('remote');
	await turn();
	clock.advance(999);
	await turn();
	expect(subscriptions).toHaveLength(1);
	expect(refreshed()).toBe(0);
	clock.advance(1);
	await turn();

	expect(subscriptions).toHaveLength(2);
	expect(refreshed()).toBe(1);
});

test('subscriptions that break at once are opened with growing pauses, at most a minute', async () => {
	const {clock, subscriptions} = modernByHand();
	await turn();
	const pauses: number[] = [];
	for (let count = 1; count <= 9; count++) {
		subscriptions.at(-1)?.('graceful');
		await turn();
		let pause = 0;
		while (subscriptions.length === count) {
			clock.advance(1000);
			pause += 1000;
			await turn();
		}

		pauses.push(pause);
	}

	expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('a server that announces changes and has no subscriptions is left alone', async () => {
	const {clock, subscriptions, refusals} = modernByHand();
	refusals.push(Object.assign(new Error('Method not found'), {code: -32_601}));
	await turn();
	subscriptions[0]?.('remote');
	await turn();
	clock.advance(1000);
	await turn();
	const before = subscriptions.length;
	clock.advance(1e9);
	await turn();

	expect(subscriptions).toHaveLength(before);
});

test('nobody subscribes after the end', async () => {
	const {clock, gone, subscriptions} = modernByHand();
	await turn();
	gone.abort(new Error('gone'));
	subscriptions[0]?.('remote');
	await turn();
	clock.advance(1e9);
	await turn();

	expect(subscriptions).toHaveLength(1);
});
