import {minHiddenLength, type Redact} from './redact.ts';

/** Redaction of a streamed text. */
export type RedactedPieces = {
	/** The redacted text that may be shown after `piece`; a possible beginning of a credential is held back until the next piece. */
	add(piece: string): string;
	/** The held text when the stream pauses, empty if it is long enough to be part of a secret; the text may go on later. */
	pause(): string;
	/** The held text at the end of the stream. */
	end(): string;
	readonly isHolding: boolean;
};

/** Most characters held back: credentials are shorter. */
const maxHeldLength = 32_768;

/** Redacts a streamed text, however it is cut, even letter by letter. */
export function createRedactedPieces(redact: Redact): RedactedPieces {
	/** The end of the text so far; its first `left` characters have been shown already. */
	let tail = '';
	let left = 0;

	/** The part of `text`, which begins with `tail`, that was not shown yet; redacted. */
	const newIn = (text: string): string => {
		if (left >= text.length) {
			return '';
		}

		const shown = redact(text);
		let same = 0;
		// A credential that begins in the shown part is hidden from there on.
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
			// A credential across the cut is found only in the whole text.
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
