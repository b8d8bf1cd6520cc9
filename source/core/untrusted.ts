import {
	type CharacterKind,
	compose,
	endsInPictograph,
	characterKind,
	plainer,
	isPlainLines,
	isPlainText,
	runsOf,
} from './characters.ts';

declare const safe: unique symbol;

/** Text that went through `escapeLine` or `escapeBlock`: no control sequence, no hidden character, predictable width. */
export type Safe = string & {readonly [safe]: true};

/**
 * A stranger's text made safe. `flags` counts the hostile characters that were made visible or replaced: controls,
 * bidi, hidden ones, lone surrogates, marks piled on marks. Tabs, line breaks and emoji that were made plainer do not count.
 */
export type Escaped = {readonly text: Safe; readonly flags: number};

/**
 * A stranger's text for one line: at most `maxLength` characters (UTF-16 units, never a torn pair; a cut ends in `…`),
 * newlines as `␊`, other controls as control pictures, hidden characters as `\u{202e}`, what terminals disagree about as `□`.
 * The cost is bounded by `maxLength`, not by the text.
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
 * A stranger's text for several lines: as `escapeLine`, but line feeds stay (CRLF becomes one). At most `maxLength` characters
 * and `maxLines` lines; what is beyond is cut and ends in `…`.
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

/** More marks than this on one letter are an attack on the line above (three occur in real languages). */
const maxMarks = 4;

function escapeText(text: string, {maxLength, maxLines, newline}: Shape): Escaped {
	// Characters that vanish must not make the work unbounded either.
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
	/** Marks on the last character; `noBase` when there is none to combine with. */
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

/** The first `length` characters, one less where a surrogate pair would be torn. */
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
