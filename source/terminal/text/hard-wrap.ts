import type {Safe} from '../../core/untrusted.ts';
import {clip} from './fit.ts';

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
		// A row takes at least one character, whatever is wider than the row.
		const taken = Math.max(1, row.length);
		rows.push(row);
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
		rest = rest.slice(taken) as Safe;
	} while (rest !== '');

	return {rows, isWhole: true};
}
