import {once} from 'node:events';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {createBusy} from '../../source/core/clock.ts';
import {drain} from '../../source/http/drain.ts';
import {hold} from '../helpers/raw-http.ts';
import {startServer} from './start-server.ts';

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

async function begin() {
	const server = await startServer();
	const busy = createBusy();
	let hardStops = 0;
	return {
		...server,
		busy,
		hardStops: () => hardStops,
		drained: async () =>
			drain(server.http, {
				clock: server.clock,
				busy,
				onHardStop() {
					hardStops += 1;
				},
			}),
	};
}

test('"open connections are answered for up to 1 s, then no new ones are taken"', async () => {
	await using server = await begin();
	const {socket} = await hold(server.port);
	const drained = server.drained();
	for (let index = 0; index < 2; index++) {
		socket.write(get);
		const [answer] = await once(socket, 'data');
		expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
		server.clock.advance(499);
	}

	const closed = once(socket, 'close');
	server.clock.advance(2);
	await closed;
	await drained;
	expect(server.hardStops()).toBe(0);
	expect(server.clock.timersLeft).toBe(0);
});

test('without an open connection no time passes', async () => {
	await using server = await begin();
	await server.drained();

	expect(server.http.server.listening).toBe(false);
	expect(server.clock.timersLeft).toBe(0);
});

test('"what is still open after 5 s is cut", and after 6 s nothing is waited for', async () => {
	await using server = await begin();
	const {socket} = await hold(server.port);
	socket.write('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n');
	while (server.counts().waiting === 0) {
		await turn();
	}

	// One that never ends, whatever is cut.
	server.busy.begin();
	let isOver = false;
	const drained = server.drained().then(() => {
		isOver = true;
	});
	server.clock.advance(4999);
	await turn();
	expect(server.counts().open).toBe(1);

	const closed = once(socket, 'close');
	server.clock.advance(1);
	expect(server.hardStops()).toBe(1);
	await turn();
	// Who is stopped has a moment for a last word.
	expect(server.counts().open).toBe(1);
	server.clock.advance(250);
	await closed;
	await turn();
	expect(isOver).toBe(false);
	server.clock.advance(750);
	await drained;
});
