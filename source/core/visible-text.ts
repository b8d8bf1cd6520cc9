/** Invisible and control characters, except tabs and line feeds. */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Matches pieces to replace or keep. Tag characters are legitimate only in three flags (England, Scotland, Wales), which are kept. */
const pieces = new RegExp(
	`\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}|\\r\\n?|${unseen.source}`,
	'gu',
);

/** Visible signs of Arabic, Syriac and Kaithi that span the digits after them. */
const spanningSigns = /^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

/** Characters that are removed: tags, soft hyphens, byte order marks. */
const idle = /^[\u{e0000}-\u{e007f}\u00ad\ufeff]$/u;

const emojiBefore = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u;
const emojiAfter = /^\p{Extended_Pictographic}/u;
const presented = /(?:\p{Extended_Pictographic}|[#*0-9])$/u;
/** Scripts in which joiners change how letters are joined. */
const joiningBefore = /(?![\p{Script=Latin}])[\p{L}\p{M}]$/u;
const joiningAfter = /^(?![\p{Script=Latin}])[\p{L}\p{M}]/u;

/**
 * Prepares an untrusted text for a model, so that it has no content that a person would not see: removes tag characters, escapes bidi controls, zero-width and control
 * characters as `\u{202e}`, turns line ends into line feeds, lone surrogates into `U+FFFD`. Unlike `escapeBlock` it leaves letters of all scripts and emoji unchanged.
 * Linear in the length of the text.
 */
export const visibleText = (text: string): string =>
	unseen.test(text) ? text.replace(pieces, show) : text;

function show(piece: string, at: number, text: string): string {
	if (joiners.has(piece)) {
		const before = text.slice(Math.max(0, at - 4), at);
		return isNeeded(piece, before, text.slice(at + 1, at + 3)) ? piece : escape(piece);
	}

	const known = shown.get(piece) ?? showAlone(piece);
	shown.set(piece, known);
	return known;
}

/** Characters whose meaning depends on their neighbours. */
const joiners = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f']);

/** Cache of replacements, since a hostile text may consist only of such characters. Bounded: only a few thousand characters need one. */
const shown = new Map<string, string>();

function showAlone(piece: string): string {
	if (piece.length > 2 || spanningSigns.test(piece)) {
		return piece;
	}

	if (piece.startsWith('\r') || piece === '\u2028' || piece === '\u2029') {
		return '\n';
	}

	if (idle.test(piece)) {
		return '';
	}

	return /^\p{Cs}$/u.test(piece) ? '\ufffd' : escape(piece);
}

const escape = (piece: string) => `\\u{${piece.codePointAt(0)?.toString(16)}}`;

/** Whether a joiner or a presentation selector has an effect here. Sequences of them, which could hide a message, have none. */
function isNeeded(piece: string, before: string, after: string): boolean {
	if (piece === '\ufe0f' || piece === '\ufe0e') {
		return presented.test(before);
	}

	const joinsEmoji = piece === '\u200d' && emojiBefore.test(before) && emojiAfter.test(after);
	const joinsLetters =
		(piece === '\u200d' || piece === '\u200c') &&
		joiningBefore.test(before) &&
		joiningAfter.test(after);
	return joinsEmoji || joinsLetters;
}
