import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import {connect, type Socket} from 'node:net';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {createEventStream, type EventStream} from '../../source/api/http/event-stream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const server = createServer();

beforeAll(async () => {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});

afterAll(() => {
	server.closeAllConnections();
	server.close();
});

/** A client that has asked, and reads nothing. */
async function asked(): Promise<{readonly client: Socket; readonly response: ServerResponse}> {
	const address = server.address();
	const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
	client.on('error', () => {});
	client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the event has
	const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
	response.on('error', () => {});
	return {client, response};
}

function begin(response: ServerResponse) {
	const clock = createFakeClock();
	const stream: EventStream = createEventStream(response, {clock, more: {}});
	return {clock, stream};
}

test('A stream to a client that has left before it began is over: nobody waits, and no timer is left', async () => {
	const {client, response} = await asked();
	client.destroy();
	await once(response, 'close');
	const {clock, stream} = begin(response);
	stream.keepAlive(() => ({data: 'beat'}));
	await stream.send('late');
	stream.end();
	expect(clock.timersLeft).toBe(0);
});

test('Events that wait for a slow client wait together, and go on or end together', async () => {
	const {client, response} = await asked();
	client.pause();
	const {clock, stream} = begin(response);
	let beats = 0;
	stream.keepAlive(() => {
		beats += 1;
		return {data: 'beat'};
	});
	clock.advance(5000);
	expect(beats).toBe(1);
	const much = 'x'.repeat(65_536);
	while (!response.writableNeedDrain) {
		void stream.send(much);
	}

	const sent = Array.from({length: 30}, async () => stream.send('event'));
	expect(response.listenerCount('drain')).toBeLessThan(10);
	expect(clock.timersLeft).toBe(2);
	// They may be numbered: none is made that does not leave.
	clock.advance(10_000);
	expect(beats).toBe(1);
	client.destroy();
	await Promise.all(sent);
	expect(clock.timersLeft).toBe(0);
	expect(response.listenerCount('drain')).toBeLessThan(2);
});
