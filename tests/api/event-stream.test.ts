import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {setImmediate as turn} from 'node:timers/promises';
import {afterAll, expect, test} from 'vitest';
import {cutStalled} from '../../source/api/http/cut-stalled.ts';
import {createEventStream, type EventStream} from '../../source/api/http/event-stream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startResponseServer} from '../helpers/one-response.ts';

const server = await startResponseServer();

afterAll(async () => server[Symbol.asyncDispose]());

function begin(response: ServerResponse) {
	const clock = createFakeClock();
	const stream: EventStream = createEventStream(response, {clock, more: {}});
	return {clock, stream};
}

test('A stream to a client that has left before it began is over: nobody waits, and no timer is left', async () => {
	const {client, response} = await server.asked();
	client.destroy();
	await once(response, 'close');
	const {clock, stream} = begin(response);
	stream.keepAlive(() => ({data: 'beat'}));
	cutStalled(response, 1000, clock);
	await stream.send('late');
	stream.end();
	expect(clock.timersLeft).toBe(0);
});

test('Events that wait for a slow client wait together, and go on or end together', async () => {
	const {client, response} = await server.asked();
	client.pause();
	const {clock, stream} = begin(response);
	const before = response.listenerCount('drain');
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
	expect(response.listenerCount('drain')).toBe(before);
});

test('A client that does not take the end of an answer is cut', async () => {
	const {client, response} = await server.asked();
	client.pause();
	const {clock, stream} = begin(response);
	// Less is left over than would hold up who writes: nobody waits for it.
	while (response.writableLength === 0) {
		await stream.send('x'.repeat(4096));
		await turn();
	}

	expect(clock.timersLeft).toBe(0);
	stream.end();
	clock.advance(59_000);
	expect(response.destroyed).toBe(false);
	clock.advance(3_600_000);
	expect(response.destroyed).toBe(true);
	client.destroy();
	await once(response, 'close');
	expect(clock.timersLeft).toBe(0);
});
