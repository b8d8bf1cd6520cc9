import type {Safe} from '../../core/untrusted.ts';
import {clip, isWithin} from './fit.ts';
import {safe} from './safe.ts';

/** Wraps a paragraph to rows of at most `width` cells (at least 8), broken at blanks where possible. Leading blanks are kept as indentation. */
export function* wrapWords(paragraph: Safe, width: number): Generator<Safe, void> {
	let row: Safe | undefined;
	for (const word of partsOf(paragraph, ' ')) {
		// Leading blanks yield empty words, which keep the indentation.
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
 * Wraps safe text without line breaks to rows of at most `width` cells (at least 8), cutting at the exact end of each row, so that no blank is lost. At most
 * `most` rows; `isWhole` says whether they were enough.
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
		// A row takes at least one character, even one wider than the row.
		const taken = Math.max(1, row.length);
		rows.push(row);
		rest = partFrom(rest, taken);
	} while (rest !== '');

	return {rows, isWhole: true};
}
