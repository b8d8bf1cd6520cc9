import {type Clock, createTimer} from '../../core/clock.ts';
import {pasteEnd} from './split-input.ts';

/** Text that the terminal marked as pasted. */
export type Paste = {
	/** As received, at most 1,048,576 UTF-16 units; foreign text. */
	readonly text: string;
	/** `false` if it was cut, or its end mark never came. */
	readonly complete: boolean;
	/** When its last part was read: `Clock.monotonic()`, milliseconds. */
	readonly t: number;
};

export type PasteCollector = ReturnType<typeof collectPaste>;

const maxPasteLength = 1_048_576;
const silenceMs = 2000;

/** Collects one paste. It ends with its end mark, or after 2 s of silence: a lost mark must not disable the keyboard forever. Text beyond 1 MB is dropped, not typed. */
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
		/** Adds text after the start mark. Returns the text after the end mark; `undefined` until that arrives. */
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
