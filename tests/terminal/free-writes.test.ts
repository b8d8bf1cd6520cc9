import {Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {hasTaken, isStalled} from '../../source/terminal/free-writes.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

/** A terminal that takes a text when `take` is called with nothing, and fails with an error. */
const openTerminal = () => {
	let take: (error?: Error) => void = () => {};
	const stream = new Writable({
		decodeStrings: true,
		write(_chunk, _encoding, done) {
			take = done;
		},
	});
	stream.on('error', () => {});
	return {
		stream: stream as unknown as NodeJS.WriteStream,
		take(error?: Error) {
			take(error);
		},
	};
};

test('a terminal to which nothing is owed has taken everything', async () => {
	expect(await hasTaken(openTerminal().stream, createFakeClock())).toBe(true);
});

test('a terminal that takes nothing within half a second has not', async () => {
	const clock = createFakeClock();
	const {stream} = openTerminal();
	stream.write('x'.repeat(64 * 1024 + 1));
	expect(isStalled(stream)).toBe(true);
	const taken = hasTaken(stream, clock);
	clock.advance(500);
	expect(await taken).toBe(false);
});

test('a terminal that reads again in time has, and one that breaks meanwhile has not', async () => {
	const clock = createFakeClock();
	for (const [error, isTaken] of [
		[undefined, true],
		[new Error('EIO'), false],
	] as const) {
		const terminal = openTerminal();
		terminal.stream.write('last words');
		const taken = hasTaken(terminal.stream, clock);
		terminal.take(error);
		if (!error) {
			// The end of what is owed is a text of its own.
			setImmediate(() => {
				terminal.take();
			});
		}

		// oxlint-disable-next-line no-await-in-loop -- two rows of a table
		expect(await taken).toBe(isTaken);
	}
});
