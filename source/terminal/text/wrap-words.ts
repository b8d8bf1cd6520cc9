import {cell} from '../../core/untrusted.ts';
import {clip, widthOf} from './fit.ts';

/**
 * One paragraph as rows of at most `width` cells (at least 8), broken at blanks where there are any. Blanks at its start stay: an indentation means
 * something.
 */
export function wrapWords(paragraph: string, width: number): readonly string[] {
	const rows: string[] = [];
	let row: string | undefined;
	for (const word of paragraph.split(' ')) {
		// Blanks at the start are empty words: an indentation stays.
		const joined = row === undefined ? word : `${row} ${word}`;
		if (widthOf(joined) <= width) {
			row = joined;
			continue;
		}

		if (row !== undefined && row.trim() !== '') {
			rows.push(row);
		}

		row = word;
		while (widthOf(row) > width) {
			const head = clip(cell(row).text, width, '');
			rows.push(head);
			row = row.slice(Math.max(1, head.length));
		}
	}

	return [...rows, row ?? ''];
}
