import {EventEmitter} from 'node:events';
import type {KeyEvent} from './key-event.ts';

export type InkStdin = {
	/** To be given to Ink's `render({stdin})`. */
	readonly stream: NodeJS.ReadStream;
	/** Lets Ink read `text` as one piece. */
	push(text: string): void;
};

const encodings: Readonly<Record<string, string>> = {
	left: '\u001B[D',
	right: '\u001B[C',
	backspace: '\u007F',
	enter: '\r',
};

/**
 * What Ink's fields understand of `key`: its text, `left`, `right`, `backspace`, `enter`, in the plainest encoding. `undefined`
 * for the rest, which ink-text-input would type as letters (`ctrl+w` as `w`) or take for another key (`delete` for backspace).
 */
export const inkEncoding = (key: Pick<KeyEvent, 'id' | 'text'>): string | undefined =>
	key.text === '' ? encodings[key.id] : key.text;

/**
 * The members of a terminal's stdin that Ink 8 uses, over a queue: each piece is announced and read on its own, because
 * Ink makes one key press of whatever one `read()` returns.
 */
export function createInkStdin(
	terminal: NodeJS.ReadStream,
	setRawMode: (isRaw: boolean) => void,
): InkStdin {
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
		stream,
		push(text) {
			// Nobody reads while the terminal is lent to another program.
			if (emitter.listenerCount('readable') === 0) {
				return;
			}

			queue.push(text);
			emitter.emit('readable');
		},
	};
}
