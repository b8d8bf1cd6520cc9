// @module-tag slow
import {randomUUID} from 'node:crypto';
import {toNodeHandler} from '@modelcontextprotocol/node';
import {createMcpHandler} from '@modelcontextprotocol/server';
import {expect, test} from 'vitest';
import {type Clock, systemClock} from '../../source/core/clock.ts';
import {isJsonObject} from '../../source/core/json.ts';
import {isGone, until} from '../helpers/processes.ts';
import {byName, openManager} from './manager/open-manager.ts';
import {remoteServer, startHttp} from './servers/http-server.ts';
import {sampleServer} from './servers/memory-transports.ts';
import {echoServer, startStateful} from './servers/stateful-server.ts';
import {eraServer, ownServer} from './servers/stdio-server.ts';
import {openTransports} from './wire/open-transports.ts';

/** A manager over real processes and sockets. */
async function setUp(options: {readonly clock?: Clock} = {}) {
	const stack = new AsyncDisposableStack();
	const {transports, records} = stack.use(await openTransports());
	const opened = stack.use(await openManager({transports, ...options}));
	return {
		...opened,
		wireRecords: records,
		/** The process of one of our own servers. */
		async pidOf(server: string) {
			const {text} = await opened.call(server, 'about');
			const said: unknown = JSON.parse(text);
			return isJsonObject(said) ? Number(said['pid']) : Number.NaN;
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

test.for([
	['auto', 'reject', 'stateless 2026-07-28'],
	['auto', 'serve', 'legacy 2025-11-25'],
	['stateless', 'serve', 'stateless 2026-07-28'],
] as const)(
	'protocol %s with a server that would %s the handshake',
	async ([protocol, handshake, said]) => {
		await using world = await setUp();
		await world.use({...eraServer(handshake), protocol});

		expect(world.view('crm')).toMatchObject({status: 'connected', protocol: said});
		expect(await world.call('crm', 'echo', {message: 'hi'})).toEqual({text: 'Echo: hi'});
	},
);

test.for([
	['auto', 'reject', 'stateless 2026-07-28'],
	['auto', 'stateless', 'legacy 2025-11-25'],
	['stateless', 'stateless', 'stateless 2026-07-28'],
] as const)(
	'protocol %s over HTTP with a server that treats the handshake as "%s"',
	async ([protocol, legacy, said]) => {
		const handle = toNodeHandler(createMcpHandler(sampleServer, {legacy}));
		await using http = await startHttp((request, response) => {
			void handle(request as Parameters<typeof handle>[0], response);
		});
		await using world = await setUp();
		await world.use({...remoteServer(http.url), protocol});

		expect(world.view('crm')).toMatchObject({status: 'connected', protocol: said});
		expect(await world.call('crm', 'echo', {message: 'hi'})).toEqual({text: 'Echo: hi'});
	},
);

test.for(['serve', 'reject'] as const)(
	'tools that come while it is connected are registered (handshake: %s)',
	async handshake => {
		await using world = await setUp();
		await world.use(eraServer(handshake));
		expect(world.names('crm')).toHaveLength(2);
		await world.call('crm', 'add-tool');
		await until(() => world.names('crm').length === 3);

		expect(world.names('crm')).toContain('mcp__crm__added');
		expect(world.view('crm').warnings).toContain('tools changed: added added');
	},
);

/** @see manual/tool-servers.md#states, decisions 6 */
test('a session that the server has forgotten: what only reads is called again, the rest is uncertain', async () => {
	await using stateful = await startStateful();
	await using world = await setUp();
	await world.use(remoteServer(stateful.url));
	expect(await world.call('crm', 'echo', {message: 'a'})).toEqual({text: 'a'});
	stateful.forget();
	const {text, isError} = await world.call('crm', 'echo', {message: 'b'});

	expect(isError).toBe(true);
	expect(JSON.parse(text)).toMatchObject({outcome_uncertain: true, server: 'crm'});
	expect(await world.call('crm', 'echo', {message: 'c'})).toEqual({text: 'c'});
});

test('a session that the server has forgotten: a tool that only reads answers all the same', async () => {
	await using stateful = await startStateful(() => echoServer({readOnlyHint: true}));
	await using world = await setUp();
	await world.use(remoteServer(stateful.url));
	expect(await world.call('crm', 'echo', {message: 'a'})).toEqual({text: 'a'});
	const [before] = stateful.sessions.keys();
	stateful.forget();

	expect(await world.call('crm', 'echo', {message: 'b'})).toEqual({text: 'b'});
	expect([...stateful.sessions.keys()]).not.toContain(before);
	expect(world.view('crm').status).toBe('connected');
});

test('a server that dies in the middle of a call is uncertain, and there again for the next', async () => {
	await using world = await setUp();
	await world.use(ownServer('plain'));
	const pid = await world.pidOf('crm');
	const {text} = await world.call('crm', 'die');
	expect(JSON.parse(text)).toMatchObject({outcome_uncertain: true, server: 'crm'});

	expect(await world.call('crm', 'echo', {message: 'again'})).toEqual({text: 'again'});
	expect(await world.pidOf('crm')).not.toBe(pid);
});

test('what cannot be started is parked with its reason, and nobody else suffers', async () => {
	await using world = await setUp();
	const command = `no-such-program-${randomUUID()}`;
	await world.use(
		{...ownServer('plain'), name: 'good'},
		{
			...ownServer('plain'),
			name: 'missing',
			endpoint: {transport: 'stdio', command, args: [], env: {}},
		},
		{...ownServer('crash', {extra: 'a typo'}), name: 'crash'},
	);

	expect(world.view('missing')).toMatchObject({
		status: 'parked',
		reason: `Command "${command}" was not found in its PATH`,
	});
	expect(world.view('crash')).toMatchObject({
		status: 'failed',
		reason: expect.stringContaining('cannot open the database with a typo'),
	});
	expect(await world.call('good', 'echo', {message: 'fine'})).toEqual({text: 'fine'});
});

/** @see manual/tool-servers.md#settings: "safe baseline"; decisions 6 */
test('a variable reaches the server that names it, and stays out of what it answers', async () => {
	await using transports = await openTransports();
	await using world = await openManager({
		transports: transports.transports,
		environment: {CRM_TOKEN: 'hunter2-secret', OTHER: 'not-for-it'},
	});
	await world.use(ownServer('plain', {env: {TOKEN: '${CRM_TOKEN}'}}));
	const {text} = await world.call('crm', 'about');

	expect(text).toContain('"TOKEN":"[redacted]"');
	expect(text).not.toContain('not-for-it');
});

test('idleness ends the process; the next call starts another', async () => {
	let wake = () => {};
	const clock: Clock = {
		...systemClock,
		after(delayMs, callback) {
			if (delayMs > 50_000 && delayMs <= 77_000) {
				wake = () => {
					offset += 77_000;
					callback();
				};
				return () => {};
			}

			return systemClock.after(delayMs, callback);
		},
		monotonic: () => systemClock.monotonic() + offset,
	};
	let offset = 0;
	await using world = await setUp({clock});
	const server = ownServer('plain');
	await world.use({...server, endpoint: {...server.endpoint, idleMs: 77_000}});
	const pid = await world.pidOf('crm');
	wake();
	expect(world.view('crm')).toMatchObject({
		status: 'recycled',
		reason: 'ended after 77 s without a call',
	});
	await until(() => isGone(pid));

	expect(await world.pidOf('crm')).not.toBe(pid);
});

test('the end leaves no process, whatever a server does against it', async () => {
	const world = await setUp();
	await world.use({...ownServer('stubborn'), name: 'a'}, {...ownServer('plain'), name: 'b'});
	const pids = [await world.pidOf('a'), await world.pidOf('b')];
	await world.manager[Symbol.asyncDispose]();

	expect(pids.map(isGone)).toEqual([true, true]);
	await world[Symbol.asyncDispose]();
});

test('a removed server ends its process', async () => {
	await using world = await setUp();
	await world.use({...ownServer('plain'), name: 'a'});
	const pid = await world.pidOf('a');
	await world.manager.apply(byName());

	expect(isGone(pid)).toBe(true);
	expect(world.removed).toEqual(['a']);
});
