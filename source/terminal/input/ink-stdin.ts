import {EventEmitter} from 'node:events';

/**
 * The members of a terminal's stdin that Ink 8 uses, over a queue: each piece is announced and read separately, because Ink turns everything that one `read()`
 * returns into one key press.
 */
export function createInkStdin(terminal: NodeJS.ReadStream, setRawMode: (isRaw: boolean) => void) {
	const queue: string[] = [];
	const emitter = new EventEmitter();
	const members = {
		isTTY: terminal.isTTY,
		setRawMode(isRaw: boolean) {
			setRawMode(isRaw);
			return stream;
		},
		// eslint-disable-next-line unicorn/no-null -- what a stream's `read()` returns when it has nothing
		read: () => queue.shift() ?? null,
		setEncoding: () => stream,
		ref() {
			terminal.ref();
			return stream;
		},
		unref() {
			terminal.unref();
			return stream;
		},
		resume: () => stream,
		pause: () => stream,
	};

	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a whole ReadStream and uses these members
	const stream = Object.assign(emitter, members) as unknown as NodeJS.ReadStream;
	return {
		/** For Ink's `render({stdin})`. */
		stream,
		/** Passes `text` to Ink as one piece. */
		push(text: string) {
			// Ink does not listen while the terminal is lent to another program.
			if (emitter.listenerCount('readable') === 0) {
				return;
			}

			queue.push(text);
			emitter.emit('readable');
		},
	};
}
