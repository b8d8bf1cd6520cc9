import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {KeyEvent} from '../input/key-event.ts';
import {clip, widthOf} from './fit.ts';
import {literal, safe} from './safe.ts';
import {singleLine} from './single-line.ts';

/** A line being typed. `cursor` counts graphemes, from 0 to their number. */
export type LineText = {readonly value: string; readonly cursor: number};

/** The most characters (UTF-16 units) in a line. */
export const maxLineLength = 2000;

const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

/** The graphemes of a text. */
export const splitGraphemes = (text: string): readonly string[] =>
	[...graphemes.segment(text)].map(({segment}) => segment);

/** A line with the cursor at its end. */
export const lineText = (value = ''): LineText => ({value, cursor: splitGraphemes(value).length});

/** Inserts typed or pasted text at the cursor: line breaks become blanks, control characters are dropped, text beyond the limit is cut. */
export function insertText(
	{value, cursor}: LineText,
	text: string,
	maxLength = maxLineLength,
): LineText {
	const parts = splitGraphemes(value);
	const room = Math.max(0, maxLength - value.length);
	const head = parts.slice(0, cursor).join('') + singleLine(text, room);
	const joined = head + parts.slice(cursor).join('');
	return {value: joined, cursor: splitGraphemes(head).length};
}

type Edit = (parts: readonly string[], cursor: number) => readonly [readonly string[], number];

const without = (parts: readonly string[], from: number, to: number) => [
	...parts.slice(0, from),
	...parts.slice(to),
];

const wordStart = (parts: readonly string[], cursor: number): number => {
	let at = cursor;
	while (at > 0 && parts[at - 1] === ' ') {
		at -= 1;
	}

	while (at > 0 && parts[at - 1] !== ' ') {
		at -= 1;
	}

	return at;
};

const toStart: Edit = parts => [parts, 0];
const toEnd: Edit = parts => [parts, parts.length];

/** Edits by keys other than text, named as in readline. */
const edits: Readonly<Record<string, Edit>> = {
	left: (parts, cursor) => [parts, Math.max(0, cursor - 1)],
	right: (parts, cursor) => [parts, Math.min(parts.length, cursor + 1)],
	home: toStart,
	'ctrl+a': toStart,
	end: toEnd,
	'ctrl+e': toEnd,
	backspace: (parts, cursor) =>
		cursor === 0 ? [parts, 0] : [without(parts, cursor - 1, cursor), cursor - 1],
	delete: (parts, cursor) => [without(parts, cursor, cursor + 1), cursor],
	'ctrl+u': (parts, cursor) => [parts.slice(cursor), 0],
	'ctrl+k': (parts, cursor) => [parts.slice(0, cursor), cursor],
	'ctrl+w': (parts, cursor) => {
		const start = wordStart(parts, cursor);
		return [without(parts, start, cursor), start];
	},
};

/** The line after a key; `undefined` for a key without meaning here. Pure. */
export function editLine(
	line: LineText,
	key: Pick<KeyEvent, 'id' | 'text'>,
	maxLength = maxLineLength,
): LineText | undefined {
	if (key.text !== '') {
		return insertText(line, key.text, maxLength);
	}

	const edit = Object.hasOwn(edits, key.id) ? edits[key.id] : undefined;
	if (!edit) {
		return undefined;
	}

	const [parts, cursor] = edit(splitGraphemes(line.value), line.cursor);
	// Graphemes next to the removed part may join.
	const value = parts.join('');
	return {value, cursor: splitGraphemes(parts.slice(0, cursor).join('')).length};
}

/** The cursor, in a cell of its own. */
export const cursorSign = literal('█');

type LineLook = {
	/** Cells, including the cursor's. */
	readonly width: number;
	/** Hides the typed text. */
	readonly isMasked?: boolean;
};

/** The parts of a line before and after its cursor that fit into `width` cells. */
export function shownParts(
	{value, cursor}: LineText,
	{width, isMasked = false}: LineLook,
): {readonly before: Safe; readonly after: Safe} {
	const parts = splitGraphemes(value).map(part => (isMasked ? '*' : part));
	let start = cursor;
	let used = 1;
	while (start > 0 && used + widthOf(parts[start - 1] ?? '') <= width) {
		start -= 1;
		used += widthOf(parts[start] ?? '');
	}

	const before = escapeLine(parts.slice(start, cursor).join(''), maxLineLength);
	const after = escapeLine(parts.slice(cursor).join(''), maxLineLength);
	return {before, after: clip(after, Math.max(0, width - widthOf(before) - 1))};
}

/** The part of a line around its cursor that fits into `width` cells, with the cursor. */
export function shownLine(line: LineText, look: LineLook): Safe {
	const {before, after} = shownParts(line, look);
	return safe`${before}${cursorSign}${after}`;
}
