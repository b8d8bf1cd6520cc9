/* oxlint-disable no-control-regex -- terminal input is made of control characters */
import {parseKey, type NamedKey} from './key-event.ts';
import {answerLength, isWholeAnswer} from './torn-answer.ts';

/** The first token in a piece of terminal input. */
export type Token =
	| {readonly kind: 'key'; readonly key: NamedKey}
	| {readonly kind: 'paste'}
	| {
			readonly kind: 'mouse';
			readonly button: number;
			readonly column: number;
			readonly row: number;
			readonly released: boolean;
	  }
	| {readonly kind: 'focus'; readonly focused: boolean}
	/** A terminal's answer to a question. */
	| {readonly kind: 'reply'; readonly raw: string}
	/** The beginning of a mouse report whose rest did not arrive in time. */
	| {readonly kind: 'torn-mouse'; readonly raw: string}
	/** Meaningless input, which is dropped. */
	| {readonly kind: 'nothing'};

type Split = {readonly token: Token; readonly length: number};

/** End of a bracketed paste. */
export const pasteEnd = '\u001B[201~';

const maxGraphemeLength = 64;
const maxSequenceLength = 64;
const maxReplyLength = 4096;

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

/** A cluster that the next character may extend: an emoji, half a flag. Does not wait for combining marks on letters. */
const mayGrow =
	/(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|\u200D|\uFE0F|[\u{E0020}-\u{E007F}])$/u;

const mouseReport = /^\u001B\[<(\d{1,5});(\d{1,5});(\d{1,5})([Mm])/;

const nothing: Token = {kind: 'nothing'};

/** The length of the complete mouse report at the beginning of `text`; 0 if there is none. */
export const mouseReportLength = (text: string): number => mouseReport.exec(text)?.[0].length ?? 0;

/**
 * The first token of `input` (not empty) and its length in UTF-16 units; `undefined` if more input may complete it. With `final` no more input comes, so there is
 * always a result. The tokens do not depend on how the text was split into reads, unless `final` forced a decision in between.
 */
export function splitInput(input: string, final: boolean): Split | undefined {
	if (!input.startsWith('\u001B')) {
		return splitText(input, final);
	}

	if (input.length === 1) {
		return final ? keySplit(input) : undefined;
	}

	const split = introducers[input[1] ?? ''] ?? splitAlt;
	return split(input, final);
}

function splitText(input: string, final: boolean): Split | undefined {
	// Ordinary typing needs no segmenter: two ASCII characters never form one grapheme, except CR LF.
	if (/^\p{Cc}|^[ -~](?:[\0-\u007F]|$)/u.test(input)) {
		return keySplit(input.slice(0, 1));
	}

	const piece = input.slice(0, maxGraphemeLength).replace(/[\uD800-\uDBFF]$/, '');
	const [first] = graphemes.segment(piece === '' ? input.slice(0, 1) : piece);
	const grapheme = first?.segment ?? input.slice(0, 1);
	const isLast = grapheme.length === input.length;
	return isLast && !final && mayGrow.test(grapheme) ? undefined : keySplit(grapheme);
}

function keySplit(raw: string): Split {
	const key = parseKey(raw);
	return {token: key ? {kind: 'key', key} : nothing, length: raw.length};
}

function splitAlt(input: string, final: boolean): Split | undefined {
	const inner = splitText(input.slice(1), final);
	return inner && keySplit(input.slice(0, inner.length + 1));
}

/** Two Escapes: the key twice, or Alt with a named key (rxvt); must not swallow a mouse report after an Escape key. */
function splitDouble(input: string, final: boolean): Split | undefined {
	const escape = keySplit('\u001B');
	if (input.length === 2) {
		return final ? escape : undefined;
	}

	if (!/^[[O]/.test(input.slice(2))) {
		return escape;
	}

	const inner = splitInput(input.slice(1), final);
	return inner?.token.kind === 'key' ? keySplit(input.slice(0, inner.length + 1)) : inner && escape;
}

function splitCsi(input: string, final: boolean): Split | undefined {
	for (const form of [splitMouse, splitOldMouse, splitOddCsi]) {
		const result = form(input, final);
		if (result !== 'other') {
			return result;
		}
	}

	const whole = /^\u001B\[[0-?]*[ -/]*[@-~]/.exec(input)?.[0];
	if (whole !== undefined && whole.length <= maxSequenceLength) {
		return {token: classify(whole), length: whole.length};
	}

	const begun = (/^\u001B\[[0-?]*[ -/]*/.exec(input)?.[0] ?? '').slice(0, maxSequenceLength);
	if (begun.length === input.length && !final && begun.length < maxSequenceLength) {
		return undefined;
	}

	return begun.length === 2 ? keySplit(begun) : {token: nothing, length: begun.length};
}

function classify(sequence: string): Token {
	if (sequence === '\u001B[200~') {
		return {kind: 'paste'};
	}

	if (sequence === '\u001B[I' || sequence === '\u001B[O') {
		return {kind: 'focus', focused: sequence.endsWith('I')};
	}

	const key = parseKey(sequence);
	return key ? {kind: 'key', key} : {kind: 'reply', raw: sequence};
}

function splitMouse(input: string, final: boolean): Split | undefined | 'other' {
	if (!input.startsWith('\u001B[<')) {
		return 'other';
	}

	const match = mouseReport.exec(input);
	if (match) {
		const [whole, button, column, row, end] = match;
		return {
			token: {
				kind: 'mouse',
				button: Number(button),
				column: Number(column),
				row: Number(row),
				released: end === 'm',
			},
			length: whole.length,
		};
	}

	const begun = (/^\u001B\[<[\d;]*/.exec(input)?.[0] ?? '').slice(0, maxSequenceLength);
	if (begun.length < input.length || begun.length === maxSequenceLength) {
		return {token: nothing, length: begun.length};
	}

	return final ? {token: {kind: 'torn-mouse', raw: begun}, length: begun.length} : undefined;
}

/** The mouse report before SGR: three characters after `CSI M`. svc never requests it, but some terminals support nothing else. */
function splitOldMouse(input: string, final: boolean): Split | undefined | 'other' {
	if (!input.startsWith('\u001B[M')) {
		return 'other';
	}

	return input.length >= 6 || final
		? {token: nothing, length: Math.min(6, input.length)}
		: undefined;
}

/** Forms that break the grammar: `CSI [ A` (Linux console), `CSI 2 $` (rxvt). */
function splitOddCsi(input: string, final: boolean): Split | undefined | 'other' {
	const odd = /^\u001B\[(?:\[[A-E]|[2-8]\$)/.exec(input)?.[0];
	if (odd !== undefined) {
		return keySplit(odd);
	}

	return input === '\u001B[[' && !final ? undefined : 'other';
}

function splitSs3(input: string, final: boolean): Split | undefined {
	const whole = /^\u001BO\d{0,3}[@-~]/.exec(input)?.[0];
	if (whole !== undefined) {
		return keySplit(whole);
	}

	return /^\u001BO\d{0,3}$/.test(input) && !final ? undefined : keySplit('\u001BO');
}

/** OSC, DCS and APC strings are answers if they begin like one, else Alt with `]`, `P` or `_`. */
function splitString(input: string, final: boolean): Split | undefined {
	if (input.length === 2 && !final) {
		return undefined;
	}

	if (!/^\u001B(?:\]\d|P[\d>!|=]|_G)/.test(input)) {
		return splitAlt(input, final);
	}

	if (input.startsWith('\u001B]11;')) {
		// A colour report has a fixed grammar: text that breaks it was typed.
		const length = answerLength(input);
		const begun = input.slice(0, length).replace(/\u001B$/, '');
		if (length < input.length && !isWholeAnswer(begun)) {
			return {token: nothing, length: begun.length};
		}
	}

	const end = /\u0007|\u001B\\|\u009C|\u001B[^\\]/.exec(input.slice(2, maxReplyLength));
	if (!end) {
		const isOver = final || input.length >= maxReplyLength;
		return isOver ? {token: nothing, length: Math.min(input.length, maxReplyLength)} : undefined;
	}

	const isWhole = !/^\u001B[^\\]/.test(end[0]);
	const length = 2 + end.index + (isWhole ? end[0].length : 0);
	return {token: isWhole ? {kind: 'reply', raw: input.slice(0, length)} : nothing, length};
}

const introducers: Readonly<Record<string, (input: string, final: boolean) => Split | undefined>> =
	{
		'\u001B': splitDouble,
		'[': splitCsi,
		O: splitSs3,
		']': splitString,
		P: splitString,
		_: splitString,
	};
