import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {writeWithEnd} from '../../../source/mcp/wire/write-with-end.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const {signal} = new AbortController();

/** A pipe that is full with the first byte. */
const fullPipe = () => new PassThrough({highWaterMark: 1});

test('a full pipe is waited for until it is read', async () => {
	const pipe = fullPipe();
	const options = {clock: createFakeClock(), signal};
	const written = Promise.all([
		writeWithEnd(pipe, 'one', options),
		writeWithEnd(pipe, 'two', options),
	]);
	pipe.resume();
	await written;

	expect(pipe.writableLength).toBe(0);
});

test('a pipe that nobody reads is given up after 30 s', async () => {
	const pipe = fullPipe();
	const clock = createFakeClock();
	const first = writeWithEnd(pipe, 'one', {clock, signal});
	const second = writeWithEnd(pipe, 'two', {clock, signal});
	clock.advance(30_000);

	await expect(Promise.all([first, second])).rejects.toThrow(
		'The server does not read what it is sent',
	);
});

test('no more than 20 MB wait for a reader', async () => {
	const pipe = fullPipe();
	pipe.write(Buffer.alloc(30 * 1024 * 1024));
	pipe.write(Buffer.alloc(30 * 1024 * 1024));

	await expect(writeWithEnd(pipe, 'x', {clock: createFakeClock(), signal})).rejects.toThrow(
		'does not read',
	);
});

test('the end of the connection ends the wait', async () => {
	const pipe = fullPipe();
	const controller = new AbortController();
	const options = {clock: createFakeClock(), signal: controller.signal};
	const written = Promise.allSettled([
		writeWithEnd(pipe, 'one', options),
		writeWithEnd(pipe, 'two', options),
	]);
	controller.abort(new Error('over'));

	expect(await written).toContainEqual({status: 'rejected', reason: new Error('over')});
	await expect(writeWithEnd(pipe, 'x', options)).rejects.toThrow('over');
});
