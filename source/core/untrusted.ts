/**
 * Escapes untrusted text for terminals. The tables contain the characters whose width terminals agree on: measured against string-width 8 (used by Ink) and xterm.js with
 * Unicode 11 and grapheme tables; `tests/core/untrusted.test.ts` measures every code point again.
 */

/**
 * Characters that stay unchanged: printable, visible, of the same width in all terminals, never combining.
 * Deliberately few; every other character is handled one at a time.
 */
const plain =
	/[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0373\u0384-\u0386\u0388-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u218b\u2190-\u2426\u2440-\u244a\u2460-\u262f\u2638-\u2689\u2690-\u2b73\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]/
		.source;

const others = plain.slice(1);
const other = new RegExp(`[^${others}`);
const otherThanLines = new RegExp(`[^\\n${others}`);

/** Whether a text has only plain characters, as most have. Fast: without a quantifier the expression keeps no backtracking state for each character of a long text. */
const isPlainText = (text: string): boolean => !other.test(text);

/** Whether a text has only plain characters and line breaks. */
const isPlainLines = (text: string): boolean => !otherThanLines.test(text);

const runs = new RegExp(`${plain}+|[^]`, 'gu');
const startsPlain = new RegExp(`^${plain}`);

/** Splits a text into runs of plain characters and single other characters. */
const runsOf = (text: string): readonly string[] => text.match(runs) ?? [];

/** Printable characters; outside the BMP only those that the tables of all terminals know. */
const printable =
	/^(?=[\p{L}\p{N}\p{P}\p{S}])[\0-\uffff\u{1d400}-\u{1d7ff}\u{1f000}-\u{1f1e5}\u{1f200}-\u{1fa6f}\u{20000}-\u{3fffd}]$/u;

/** Characters whose width differs between terminals. */
const unsure = new RegExp(
	`^[${[
		// spacing marks
		'\\p{Mc}\\u0d4e',
		// viramas: string-width joins the consonant that follows them
		'\\u094d\\u09cd\\u0acd\\u0b4d\\u0c4d\\u0d4d\\u1039\\u17d2\\u1a60\\u1bab\\uaaf6',
		// marks newer than Unicode 11, ideographic tone marks, decomposed kana without a composed form
		'\\u0897-\\u089f\\u08ca-\\u08d2\\u0b55\\u0c3c\\u0d81\\u0ece\\u1abf-\\u1aff\\u1dfa\\ua82c\\u302a-\\u302f\\u3099\\u309a',
		// parts of Hangul syllables that did not compose
		'\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff',
		// wide only in newer tables: trigrams, hexagrams, strokes, description characters
		'\\u2630-\\u2637\\u268a-\\u268f\\u2ffc-\\u2fff\\u31bb-\\u31bf\\u31e4-\\u31e5\\u31ef\\u4dc0-\\u4dff',
		// emoji newer than Unicode 11
		'\\u{1f1ae}\\u{1f6d6}-\\u{1f6df}\\u{1f6fb}-\\u{1f6ff}\\u{1f7da}\\u{1f7f0}\\u{1f90c}\\u{1f93b}\\u{1f946}\\u{1f972}',
		'\\u{1f977}-\\u{1f979}\\u{1f9a3}\\u{1f9a4}\\u{1f9ab}-\\u{1f9ad}\\u{1f9cb}\\u{1f9cc}',
	].join('')}]$`,
	'u',
);

/** Characters that are invisible or act on others: bidi, zero width, tags, fillers, separators, C1 controls. */
const hidden = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]$/u;

/** Marks that combine with the character before them, all of width 0. */
const combining = /^(?![\u{10000}-\u{10ffff}])[\p{Mn}\p{Me}]$/u;

const pictograph = /\p{Extended_Pictographic}$/u;

/** Letters with marks, and parts of Hangul, that may have a composed form. Matches few marks at a time: sorting many is slow. */
const composable =
	/[^\p{M}\s][\u0300-\u036f\u3099\u309a]{1,4}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/gu;

/** Marks that are aliases of other marks. */
const otherNames = /[\u0340\u0341\u0343\u0344]/g;

/** Thai and Lao AM: one character, to which terminals give width 1 or 2. */
const vowelAm = /[\u0e33\u0eb3]/g;

/** Replacements that hide nothing: emoji parts and width fixes. */
const replacements: ReadonlyMap<string, string> = new Map([
	['\t', ' '],
	['\u20e3', ''], // keycap
	['\ufe0e', ''], // text presentation
	['\ufe0f', ''], // emoji presentation
	['\uff9e', '\u309b'], // halfwidth sound marks join the kana before them only in some tables
	['\uff9f', '\u309c'],
	...Array.from({length: 5}, (_, tone) => [String.fromCodePoint(0x1f3fb + tone), ''] as const),
	// Letters of flags: terminals disagree about the width of a pair that names no country.
	...Array.from(
		{length: 26},
		(_, index) => [String.fromCodePoint(0x1f1e6 + index), String.fromCharCode(65 + index)] as const,
	),
]);

/** How a terminal treats a code point. Hostile are `control`, `hidden` and `torn` (half of a surrogate pair). */
type CharacterKind =
	| 'shown'
	| 'newline'
	| 'mark'
	| 'joiner'
	| 'replaced'
	| 'unsure'
	| 'control'
	| 'hidden'
	| 'torn';

/** The kind of a piece from `runsOf`, decided by the first matching test. */
export function characterKind(character: string): CharacterKind {
	if (startsPlain.test(character)) {
		return 'shown';
	}

	const [kind] = tests.find(([, test]) => test(character)) ?? ['unsure'];
	return kind;
}

const tests: ReadonlyArray<readonly [CharacterKind, (character: string) => boolean]> = [
	['newline', character => character === '\n'],
	['replaced', character => replacements.has(character) || /^\p{Zs}$/u.test(character)],
	['joiner', character => character === '\u200d'],
	['control', character => character < ' ' || character === '\u007f'],
	['torn', character => /^\p{Cs}$/u.test(character)],
	['hidden', character => hidden.test(character)],
	['unsure', character => unsure.test(character)],
	['mark', character => combining.test(character)],
	['shown', character => printable.test(character)],
];

/** The plainer text of a `replaced` character. */
const plainer = (character: string): string => replacements.get(character) ?? wideBlank(character);

const wideBlank = (character: string) => (character === '\u3000' ? character : ' ');

/** Whether a joiner after `text` is part of an emoji. */
const endsInPictograph = (text: string): boolean => pictograph.test(text.slice(-2));

/** Marks that are sorted into canonical order, with or without a base letter. Up to 8: more than are ever shown, and few enough to sort fast. */
const marksAlone = /\p{M}{2,8}/gu;

/** Composes letters with their marks where a composed character exists, and splits AM in two. */
const compose = (text: string): string =>
	text
		.replace(otherNames, mark => mark.normalize('NFC'))
		.replace(composable, sequence => sequence.normalize('NFC'))
		.replace(marksAlone, marks => marks.normalize('NFC'))
		.replace(vowelAm, vowel => vowel.normalize('NFKD'));

declare const safe: unique symbol;

/** Text that went through `escapeLine` or `escapeBlock`: no control sequence, no hidden character, predictable width. */
export type Safe = string & {readonly [safe]: true};

/**
 * An escaped untrusted text. `flags` counts the hostile characters that were made visible or replaced: controls,
 * bidi, hidden ones, lone surrogates, piled-up marks. Simplified tabs, line breaks and emoji do not count.
 */
export type Escaped = {readonly text: Safe; readonly flags: number};

/**
 * Escapes an untrusted text for one line: at most `maxLength` characters (UTF-16 units, never a torn pair; a cut ends in `…`),
 * newlines as `␊`, other controls as control pictures, hidden characters as `\u{202e}`, characters of disputed width as `□`.
 * The cost is bounded by `maxLength`, not by the length of the text.
 */
export const escapeLine = (text: string, maxLength?: number): Safe =>
	escapeLineCounting(text, maxLength).text;

/** As `escapeLine`, with the number of hostile characters. */
export function escapeLineCounting(text: string, maxLength = 1000): Escaped {
	return text.length <= maxLength && isPlainText(text)
		? {text: asSafe(text), flags: 0}
		: escapeText(text, {maxLength, maxLines: Infinity, newline: '␊'});
}

type BlockLimits = {readonly maxLength?: number; readonly maxLines?: number};

/**
 * Escapes an untrusted text for several lines: as `escapeLine`, but line feeds stay (CRLF becomes LF). At most `maxLength` characters
 * and `maxLines` lines; a longer text is cut and ends in `…`.
 */
export const escapeBlock = (text: string, limits?: BlockLimits): Safe =>
	escapeBlockCounting(text, limits).text;

/** As `escapeBlock`, with the number of hostile characters. */
export const escapeBlockCounting = (
	text: string,
	{maxLength = 100_000, maxLines = 5000}: BlockLimits = {},
): Escaped => escapeText(text, {maxLength, maxLines, newline: '\n'});

type Shape = {
	readonly maxLength: number;
	readonly maxLines: number;
	readonly newline: '␊' | '\n';
};

/** Most marks on one letter (languages use up to three): more would cover the line above. */
const maxMarks = 4;

function escapeText(text: string, {maxLength, maxLines, newline}: Shape): Escaped {
	// Limits the work, even if most characters are removed.
	const source = headLines(head(text, maxLength * 4 + 16), maxLines);
	const cut = source.length < text.length;
	const isPlain = (newline === '\n' ? isPlainLines : isPlainText)(source);
	const {output, flags} = isPlain ? {output: source, flags: 0} : translate(source, newline);
	const fits = !cut && output.length <= maxLength;
	return {text: asSafe(fits ? output : ellipsis(output, maxLength)), flags};
}

type State = {
	readonly newline: string;
	flags: number;
	/** Number of marks on the last character; `noBase` if there is no character to combine with. */
	marks: number;
	afterPictograph: boolean;
};

const noBase = -1;

function translate(source: string, newline: string): {output: string; flags: number} {
	const state: State = {newline, flags: 0, marks: noBase, afterPictograph: false};
	let output = '';
	for (const piece of runsOf(compose(source.replaceAll('\r\n', '\n')))) {
		const kind = characterKind(piece);
		const text = writers[kind](piece, state);
		output += text;
		if (kind !== 'mark' && text !== '') {
			state.marks = text === '\n' ? noBase : 0;
			state.afterPictograph = endsInPictograph(piece);
		}
	}

	return {output, flags: state.flags};
}

const writers: Record<CharacterKind, (character: string, state: State) => string> = {
	shown: character => character,
	newline: (_, {newline}) => newline,
	mark: writeMark,
	joiner: (character, state) => (state.afterPictograph ? '' : flagged(codePoint(character), state)),
	replaced: plainer,
	unsure: () => '□',
	control: (character, state) => flagged(controlPicture(character), state),
	hidden: (character, state) => flagged(codePoint(character), state),
	torn: (_, state) => flagged('\ufffd', state),
};

function writeMark(character: string, state: State): string {
	const carrier = state.marks === noBase ? '◌' : '';
	state.marks = Math.max(state.marks, 0) + 1;
	return state.marks > maxMarks ? flagged('', state) : carrier + character;
}

function flagged(text: string, state: State): string {
	state.flags += 1;
	return text;
}

const codePoint = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

const controlPicture = (character: string) =>
	character === '\u007f' ? '␡' : String.fromCodePoint(0x24_00 + character.charCodeAt(0));

/** The first `length` UTF-16 units, or one fewer if a surrogate pair would be split. */
function head(text: string, length: number): string {
	const torn = /[\ud800-\udbff]/.test(text.charAt(length - 1)) && length < text.length;
	return text.slice(0, torn ? length - 1 : length);
}

function headLines(text: string, maxLines: number): string {
	let end = -1;
	for (let line = 0; line < maxLines; line += 1) {
		end = text.indexOf('\n', end + 1);
		if (end === -1 || end === text.length - 1) {
			return text;
		}
	}

	return text.slice(0, Math.max(end, 0));
}

const ellipsis = (text: string, maxLength: number) =>
	maxLength < 1 ? '' : `${head(text, maxLength - 1)}…`;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where the brand is given
const asSafe = (text: string) => text as Safe;
