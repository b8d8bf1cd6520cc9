import type {Safe} from '../../core/untrusted.ts';
import {clip, isWithin} from './fit.ts';
import {safe} from './safe.ts';

/**
 * One paragraph as rows of at most `width` cells (at least 8), broken at blanks where there are any. Blanks at its start stay: an indentation means
 * something.
 */
export function* wrapWords(paragraph: Safe, width: number): Generator<Safe, void> {
	let row: Safe | undefined;
	for (const word of partsOf(paragraph, ' ')) {
		// Blanks at the start are empty words: an indentation stays.
		const joined = row === undefined ? word : safe`${row} ${word}`;
		if (isWithin(joined, width)) {
			row = joined;
			continue;
		}

		if (row !== undefined && row.trim() !== '') {
			yield row;
		}

		row = word;
		while (!isWithin(row, width)) {
			const head = clip(row, width, '');
			yield head;
			row = partFrom(row, Math.max(1, head.length));
		}
	}

	yield row ?? paragraph;
}

/** The parts of a safe text between its `separator`s. */
export const partsOf = (text: Safe, separator: ' ' | '\n'): readonly Safe[] =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
	text.split(separator) as Safe[];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
const partFrom = (text: Safe, start: number): Safe => text.slice(start) as Safe;

/**
 * Safe text without line breaks as rows of at most `width` cells (at least 8), cut wherever the row ends: no blank is lost, as it is where a text is
 * broken between words. At most `most` rows; `isWhole` says whether that was enough.
 */
export function hardWrap(
	text: Safe,
	width: number,
	most: number,
): {readonly rows: readonly Safe[]; readonly isWhole: boolean} {
	const cells = Math.max(8, width);
	const rows: Safe[] = [];
	let rest = text;
	do {
		if (rows.length >= most) {
			return {rows, isWhole: false};
		}

		const row = clip(rest, cells, '');
		// A row takes at least one character, even one that is wider than the row.
		const taken = Math.max(1, row.length);
		rows.push(row);
		rest = partFrom(rest, taken);
	} while (rest !== '');

	return {rows, isWhole: true};
}
