import {type Clock, createTimer} from '../../core/clock.ts';
import {pasteEnd} from './split-input.ts';

/** Text that the terminal marked as pasted. */
export type Paste = {
	/** As it came, at most 1,048,576 UTF-16 units; a stranger's text. */
	readonly text: string;
	/** `false` when it was cut there, or when the mark of its end never came. */
	readonly complete: boolean;
	/** When its last part was read: `Clock.monotonic()`, milliseconds. */
	readonly t: number;
};

export type PasteCollector = ReturnType<typeof collectPaste>;

const maxPasteLength = 1_048_576;
const silenceMs = 2000;

/**
 * Gathers one paste. It ends with its mark, or when nothing came for 2 s: a lost mark must not swallow the keyboard for good.
 * The rest beyond 1 MB is dropped, not typed.
 */
export function collectPaste(clock: Clock, done: (paste: Paste) => void) {
	const parts: string[] = [];
	let length = 0;
	let held = '';
	const silence = createTimer(clock);

	const keep = (text: string) => {
		const part = text.slice(0, Math.max(0, maxPasteLength - length));
		length += text.length;
		if (part !== '') {
			parts.push(part);
		}
	};

	const finish = (ended: boolean) => {
		silence.cancel();
		done({text: parts.join(''), complete: ended && length <= maxPasteLength, t: clock.monotonic()});
	};

	return {
		/** Takes the text behind the start mark. Returns the text behind the end mark; `undefined` until that comes. */
		add(text: string): string | undefined {
			silence.cancel();
			held += text;
			const end = held.indexOf(pasteEnd);
			if (end !== -1) {
				keep(held.slice(0, end));
				const rest = held.slice(end + pasteEnd.length);
				finish(true);
				return rest;
			}

			const sure = Math.max(0, held.length - pasteEnd.length + 1);
			keep(held.slice(0, sure));
			held = held.slice(sure);
			silence.set(silenceMs, () => {
				keep(withoutTornMark(held));
				finish(false);
			});
			return undefined;
		},
		/** Drops the gathered text. */
		cancel: silence.cancel,
	};
}

function withoutTornMark(text: string): string {
	for (let length = pasteEnd.length - 1; length > 0; length--) {
		if (text.endsWith(pasteEnd.slice(0, length))) {
			return text.slice(0, -length);
		}
	}

	return text;
}
