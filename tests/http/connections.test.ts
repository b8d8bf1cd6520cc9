import {text} from 'node:stream/consumers';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {peerOf} from '../../source/http/connections.ts';
import {affordable, descriptorLimit} from '../../source/http/http-server.ts';
import {hold} from '../helpers/raw-http.ts';
import type {HeldSocket} from '../helpers/raw-http.ts';
import {startServer} from './start-server.ts';
import type {TestServer} from './start-server.ts';

const most = 64;

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const getAndClose = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const wait = 'GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const halfHead = 'POST / HTTP/1.1\r\nHost: a\r\n';
const halfBody = `${halfHead}Content-Length: 100\r\n\r\n{`;

const until = async (holds: () => boolean) => {
	while (!holds()) {
		await turn();
	}
};

/** Opens connections one after the other, so that their age is their order. */
async function holdAll(
	{port}: TestServer,
	count: number,
	{
		bytesOf = () => '',
		host,
	}: {readonly bytesOf?: (index: number) => string; readonly host?: string} = {},
): Promise<readonly HeldSocket[]> {
	const held: HeldSocket[] = [];
	for (let index = 0; index < count; index++) {
		held.push(await hold(port, bytesOf(index), host));
	}

	return held;
}

/** The status of one request on a connection of its own; 0 when the connection was closed instead. */
async function ask({port}: TestServer, request = getAndClose): Promise<number> {
	const {socket} = await hold(port);
	socket.pause();
	socket.write(request);
	try {
		return Number((await text(socket)).slice(9, 12));
	} catch {
		return 0;
	}
}

/** How many answers a server has written in `received`. */
const answersIn = (received: string) => received.split('HTTP/1.1 200').length - 1;

test('requests of one connection are answered in order, a few at once', async () => {
	await using server = await startServer();
	const {socket} = await hold(server.port);
	socket.pause();
	socket.write(`GET /wait HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(30));
	await until(() => server.counts().waiting === 8);
	for (let index = 0; index < 50; index += 1) {
		await turn();
	}

	expect(server.counts().waiting).toBe(8);
	server.go();
	socket.write(getAndClose);
	expect(answersIn(await text(socket))).toBe(31);
});

test('a client that reads nothing gets no more answers than a few into memory', async () => {
	await using server = await startServer();
	const {socket} = await hold(server.port);
	socket.pause();
	socket.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(99));
	await until(() => server.counts().waiting === 8);
	expect(server.counts().open).toBe(1);
	socket.write(get.repeat(1600));
	await until(() => server.counts().open === 0);
	expect(server.counts().waiting).toBe(8);
	expect(server.log).toContainEqual(expect.stringContaining('more than 100 requests'));
});

test('the same of requests that expect what is not known', async () => {
	await using server = await startServer();
	const {socket} = await hold(server.port);
	socket.pause();
	socket.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
	await until(() => server.counts().waiting === 1);
	socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'.repeat(1600));
	await until(() => server.counts().open === 0);
	expect(server.refused.length).toBeLessThan(8);
});

const closedIn = (held: readonly HeldSocket[]) => held.filter(({isClosed}) => isClosed()).length;

const release = (held: readonly HeldSocket[]) => {
	for (const {socket} of held) {
		socket.destroy();
	}
};

test.for([
	['that send nothing', ''],
	['that never finish their header', halfHead],
	['that never finish their body', halfBody],
	['that were answered', get],
])('idle connections %s give way to others, the oldest first', async ([, bytes = '']) => {
	await using server = await startServer({maxConnections: most});
	const held = await holdAll(server, most, {bytesOf: () => bytes});
	for (let count = 0; count < 20; count++) {
		expect(await ask(server)).toBe(200);
	}

	await until(() => closedIn(held) === 1);
	expect(held[0]?.isClosed()).toBe(true);
	expect(server.counts()).toMatchObject({evicted: 1, dropped: 0});

	// One that stays takes the place of the next.
	const more = await holdAll(server, 9);
	await until(() => closedIn(held) >= 9);
	expect(held.map(({isClosed}) => isClosed()).lastIndexOf(true)).toBe(8);
	expect(closedIn(more)).toBe(0);
	release([...held, ...more]);
});

test('while 10 times the limit is held, every honest request is answered', async () => {
	await using server = await startServer({maxConnections: most});
	const held: HeldSocket[] = [];
	const bytes = ['', halfHead, halfBody, get];
	for (let count = 0; count < 10; count++) {
		const [answers, more] = await Promise.all([
			Promise.all(Array.from({length: 8}, async () => ask(server))),
			holdAll(server, most, {bytesOf: index => bytes[index % bytes.length] ?? ''}),
		]);
		expect(answers).toEqual(answers.map(() => 200));
		held.push(...more);
	}

	expect(server.counts().dropped).toBe(0);
	expect(server.counts().open).toBeLessThanOrEqual(most);
	release(held);
});

test('a connection that is used again and again outlives those that are not', async () => {
	await using server = await startServer({maxConnections: most});
	const [used] = await holdAll(server, 1);
	let answers = 0;
	used?.socket.on('data', () => (answers += 1));
	const held: HeldSocket[] = [];
	for (let count = 1; count <= 5; count++) {
		used?.socket.write(get);
		await until(() => answers === count);
		held.push(...(await holdAll(server, most / 2)));
	}

	expect(used?.isClosed()).toBe(false);
	release([...held, ...(used ? [used] : [])]);
});

test('a body that goes on coming outlives those that have stopped', async () => {
	await using server = await startServer({maxConnections: most});
	const [moving] = await holdAll(server, 1, {bytesOf: () => halfBody});
	const held: HeldSocket[] = [];
	for (let count = 1; count <= 5; count++) {
		held.push(...(await holdAll(server, most / 2, {bytesOf: () => halfBody})));
		moving?.socket.write(' ');
		// What was just written has come once a later request is answered.
		expect(await ask(server)).toBe(200);
	}

	expect(moving?.isClosed()).toBe(false);
	release([...held, ...(moving ? [moving] : [])]);
});

test('what is being answered is never cut: a newcomer is turned away when every connection is in use', async () => {
	await using server = await startServer({maxConnections: most});
	const answers = Array.from({length: most - 1}, async () => ask(server, wait));
	// Its newest request is answered at once, and waits behind one that is not.
	answers.push(ask(server, `GET /wait HTTP/1.1\r\nHost: a\r\n\r\n${getAndClose}`));
	await until(() => server.counts().waiting === most);
	expect(await ask(server)).toBe(0);
	expect(await ask(server)).toBe(0);
	expect(server.counts()).toMatchObject({evicted: 0, dropped: 2, open: most});
	server.go();
	expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
	expect(server.log).toEqual([
		'warn Refused 1 connection: more than 64 are open, none of them idle',
	]);

	server.clock.advance(60_000);
	expect(await ask(server)).toBe(200);
});

test('who does not take the answer gives way, too', async () => {
	await using server = await startServer({maxConnections: 1});
	const {socket, isClosed} = await hold(server.port);
	socket.pause();
	socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
	await new Promise<void>(resolve => {
		socket.once('readable', resolve);
	});
	expect(await ask(server)).toBe(200);
	socket.resume();
	await until(isClosed);
});

// Other systems give only 127.0.0.1 to the loopback interface.
test.runIf(process.platform === 'linux')(
	'who holds the most gives way first: a flood from one address leaves the others alone',
	async () => {
		await using server = await startServer({maxConnections: most});
		const others = await holdAll(server, 10, {bytesOf: () => get, host: '127.0.0.2'});
		const flood = await holdAll(server, 3 * most);
		const moreOthers = await holdAll(server, 10, {bytesOf: () => halfHead, host: '127.0.0.3'});
		await until(() => closedIn(flood) === 3 * most - (most - 20));
		expect([closedIn(others), closedIn(moreOthers)]).toEqual([0, 0]);
		expect(server.counts()).toMatchObject({dropped: 0, open: most});
		release([...others, ...flood, ...moreOthers]);
	},
);

test('it is logged at most once a minute, with how many there were', async () => {
	await using server = await startServer({maxConnections: 1});
	const first = await holdAll(server, 5);
	await until(() => closedIn(first) === 4);
	expect(server.log).toEqual(['warn Closed 1 idle connection: more than 1 are open']);

	server.clock.advance(60_000);
	const second = await holdAll(server, 1);
	await until(() => closedIn(first) === 5);
	expect(server.log.slice(1)).toEqual(['warn Closed 4 idle connections: more than 1 are open']);
	release(second);
});

test('a header that does not end in time: 408 in JSON, and the connection is closed', async () => {
	await using server = await startServer({headersTimeoutMs: 50, checkIntervalMs: 10});
	const {socket} = await hold(server.port, halfHead);
	socket.pause();
	const answer = await text(socket);
	expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
	expect(answer).toMatch(/\r\nConnection: close\r\n(?:.*\r\n)*\r\n\{"error":"Request Timeout"\}$/);
	expect(server.refused).toEqual([408]);
});

test.for([
	['127.0.0.1', '127.0.0.1'],
	['::ffff:192.0.2.1', '192.0.2.1'],
	['::1', '0:0:0:0'],
	['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
	['2001:db8:1:2::6', '2001:db8:1:2'],
	['2001:db8::6', '2001:db8:0:0'],
	['fe80::1%eth0', 'fe80:0:0:0'],
	['', ''],
] as const)('%s counts for "%s"', ([address, peer]) => {
	expect(peerOf(address)).toBe(peer);
});

test.for([
	[20_000, 2000],
	[1024, 768],
	[300, 44],
	[64, 16],
	[Infinity, 2000],
] as const)('with %d descriptors %d connections may be open', ([descriptors, connections]) => {
	expect(affordable(2000, descriptors)).toBe(connections);
});

test.runIf(process.platform === 'linux')('the system says how many descriptors there are', () => {
	expect(descriptorLimit()).toBeGreaterThan(16);
});
