import {minHiddenLength, type Redact} from './redact.ts';

/** A text that comes in pieces, on its way out. */
export type RedactedPieces = {
	/** What may be shown once `piece` is there, redacted; what may be the beginning of a credential waits for the next piece. */
	add(piece: string): string;
	/** What was held back, unless it is as long as a secret can be: something else is said, and the text may go on later. */
	pause(): string;
	/** What was held back: the text is whole. */
	end(): string;
	readonly isHolding: boolean;
};

/** What is longer is no credential: its end is not waited for. */
const maxHeldLength = 32_768;

/** Redacts a text that comes in pieces, wherever it is cut, also letter by letter. */
export function createRedactedPieces(redact: Redact): RedactedPieces {
	/** The end of the text so far, of which so many characters have left already. */
	let tail = '';
	let left = 0;

	/** What is new in `text`, which begins as `tail` does. */
	const newIn = (text: string): string => {
		if (left >= text.length) {
			return '';
		}

		const shown = redact(text);
		let same = 0;
		// A credential that begins in what has left is hidden from there on.
		while (same < left && shown[same] === text[same]) {
			same++;
		}

		return shown.slice(same);
	};

	return {
		add(piece) {
			const text = tail + piece;
			const open = redact.openFrom?.(text) ?? text.length;
			const from = text.length - left > maxHeldLength ? text.length : open;
			const head = text.slice(0, from);
			// A credential that lies across the cut is found in the whole, and not in its halves.
			if (from < text.length && redact(head) + redact(text.slice(from)) !== redact(text)) {
				tail = text;
				return '';
			}

			const shown = newIn(head);
			const start = Math.max(0, from - (redact.lead ?? 0));
			left = Math.max(from, left) - start;
			tail = text.slice(start);
			return shown;
		},
		pause() {
			const open = redact.openFrom?.(tail) ?? tail.length;
			if (tail.length - open >= minHiddenLength) {
				return '';
			}

			const shown = newIn(tail);
			left = tail.length;
			return shown;
		},
		end() {
			const shown = newIn(tail);
			tail = '';
			left = 0;
			return shown;
		},
		get isHolding() {
			return tail.length > left;
		},
	};
}
