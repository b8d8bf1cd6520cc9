import {escapeLine, type Safe} from '../../core/untrusted.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {empty, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import type {Tone} from '../theme/theme.ts';
import {blankLine, line, wrapText, type Line} from './line.ts';

const tones: Readonly<Record<string, Tone>> = {'+': 'good', '-': 'bad', '@': 'accent'};

/** The longest escape of one character: `\u{10ffff}`. */
const longestEscape = 10;

/** A complete diff before it is written: a row longer than `width` cells wraps. `indent` is put before each row. */
export const diffLines = (
	diff: readonly string[],
	width: number,
	indent: Safe = empty,
): readonly Line[] =>
	diff.flatMap(row => {
		const text = escapeLine(row, row.length * longestEscape);
		const tone = tones[row[0] ?? ''] ?? 'plain';
		// Wrapped rows begin after the column of marks.
		const {rows} = hardWrap(text, width - indent.length - 2, Number.POSITIVE_INFINITY);
		return rows.map((part, index) =>
			line(index === 0 ? safe`${indent}${part}` : safe`${gutter.goesOn} ${indent}${part}`, tone),
		);
	});

type FileChange = {
	readonly file: string;
	readonly diff: readonly string[];
	readonly warnings: readonly string[];
	readonly movesOthers?: boolean | undefined;
};

/** The diff and warnings that a person confirms before a file is written. Each row has `indent` before it, and as many free cells after it. */
export function changeLines(
	{file, diff, warnings, movesOthers = false}: FileChange,
	width: number,
	indent: Safe = empty,
): readonly Line[] {
	const told = (words: string, tone: Tone) =>
		wrapText(words, width - 2 * indent.length).map(row => line(safe`${indent}${row}`, tone));
	return [
		...told(`This changes ${file}:`, 'strong'),
		blankLine,
		...diffLines(diff, width, indent),
		blankLine,
		...(movesOthers
			? told(
					'! This cannot be written in its place: the file is written anew, and the spacing of other lines may change.',
					'warn',
				)
			: []),
		...warnings.flatMap(text => told(`! ${text}`, 'warn')),
	];
}
