import type {ServerToolView} from '../../core/tool-server.ts';
import {type Safe, escapeLine, escapeBlock} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {partsOf, wrapWords} from '../../terminal/text/wrap-words.ts';
import type {PayloadField} from '../payload/payload-field.ts';
import type {Tone} from '../theme/theme.ts';

export type Span = {
	readonly text: Safe;
	readonly tone?: Tone;
	/** The payload field that the text shows. */
	readonly field?: PayloadField;
	/** Identifies the row among those of its detail, so that it is found again: its block's key, and for rows after the head also the row's number. */
	readonly at?: readonly string[];
	/** The tool named by the text. */
	readonly tool?: ServerToolView;
};

/** One row of a detail. */
export type Line = readonly Span[];

export const blankLine: Line = [];

/** The cells that a line takes. */
export const lineWidth = (row: Line): number => row.reduce((sum, {text}) => sum + widthOf(text), 0);

/** Whether two lines look the same. */
export const isSameLine = (one: Line, other: Line): boolean =>
	one === other ||
	(one.length === other.length &&
		one.every(({text, tone}, index) => text === other[index]?.text && tone === other[index]?.tone));

/** A line of one tone. */
export const line = (text: Safe, tone: Tone = 'plain'): Line => [{text, tone}];

/** A selected row of an unfocused list: `·` in place of the cursor `>`, which occurs once on the screen. */
export function leftRow(row: Line): Line {
	const [first, ...rest] = row;
	return first?.text.startsWith('>') === true
		? [
				{text: literal('·'), tone: 'quiet'},
				{...first, text: escapeLine(first.text.slice(1))},
				...rest,
			]
		: row;
}

/** `line` cut to `width` cells. */
export function clipLine(spans: Line, width: number): Line {
	const kept: Span[] = [];
	let room = width;
	for (const span of spans) {
		if (room <= 0) {
			break;
		}

		const text = clip(span.text, room);
		kept.push({...span, text});
		room -= widthOf(text);
	}

	return kept;
}

/** `row` cut or padded to exactly `width` cells. */
export function fillLine(row: Line, width: number): Line {
	const cut = clipLine(row, width);
	const rest = width - lineWidth(cut);
	return rest > 0 ? [...cut, {text: escapeLine(' '.repeat(rest))}] : cut;
}

/** Tones with a background, in which blanks are visible. */
const hasGround = (tone: Tone): boolean => tone === 'selected' || tone === 'code';

/** Joins `spans` that look the same: each part is a node to measure and style on every frame. Blanks take any colour. */
export function mergeSpans(spans: Line): Line {
	const merged: Span[] = [];
	for (const {text, tone = 'plain'} of spans) {
		const last = merged.at(-1);
		const isBlank = text.trim() === '' && !hasGround(tone);
		const before = last?.tone ?? 'plain';
		const shown = isBlank ? (hasGround(before) ? 'plain' : before) : tone;
		if (last?.tone === shown) {
			merged[merged.length - 1] = {text: safe`${last.text}${text}`, tone: shown};
		} else if (text !== '') {
			merged.push({text, tone: shown});
		}
	}

	return merged;
}

const maxLines = 2000;
/** The most characters that 2,000 rows of a wide terminal hold. */
const maxWrappedLength = 800_000;

/**
 * Text in rows of at most `width` cells, broken at blanks where possible; line breaks stay. At most 2,000 rows. Escaped before it is broken, since an escape may
 * be wider than its character.
 */
export function wrapText(text: string, width: number): readonly Safe[] {
	const cleaned = escapeBlock(text, {maxLength: maxWrappedLength, maxLines: maxLines + 1});
	const rows: Safe[] = [];
	for (const paragraph of partsOf(cleaned, '\n')) {
		for (const row of wrapWords(paragraph, Math.max(8, width))) {
			if (rows.length >= maxLines) {
				return [...rows, literal('…')];
			}

			rows.push(row);
		}
	}

	return rows;
}

/** A text in rows of at most `width` cells, in one tone; empty without text. */
export const paragraph = (text: string | undefined, width: number, tone?: Tone): readonly Line[] =>
	text === undefined ? [] : wrapText(text, width).map(row => line(row, tone));

/** Prose in rows, indented by two cells on both sides of `width` cells. */
export const told = (words: string, width: number, tone?: Tone): readonly Line[] =>
	wrapText(words, width - 4).map(row => line(safe`  ${row}`, tone));

/** A name at the left of a row of `width` cells, and a word at its right. */
export const apart = (name: Safe, word: Span, width: number): Line => [
	{text: name, tone: 'strong'},
	{text: escapeLine(' '.repeat(Math.max(1, width - widthOf(name) - widthOf(word.text) - 1)))},
	word,
];
