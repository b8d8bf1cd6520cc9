import {literal, safe} from '../../terminal/text/safe.ts';
import type {Tone} from '../theme/theme.ts';
import {blankLine, clean, line, wrapText, type Line} from './line.ts';

/** A pane that has nothing: `says` why, and what helps. */
export function emptyLines(says: readonly string[], width: number): readonly Line[] {
	const indented = (text: string, tone: Tone) =>
		wrapText(text, width - 2).map(row => line(safe`  ${row}`, tone));
	const [first, ...rest] = says;
	return [
		blankLine,
		...indented(first ?? '', 'strong'),
		...rest.flatMap(text => indented(text, 'quiet')),
	];
}

/** A list whose items are all kept out by its filter. */
export const filteredLines: readonly Line[] = [
	line(literal('Nothing passes the filter.')),
	line(literal('Esc clears it, / changes it.'), 'quiet'),
];

/** What a pane shows in place of itself when drawing it failed. */
export const failedLines = (reason: string): readonly Line[] => [
	line(literal('✗ This pane could not be drawn'), 'bad'),
	line(clean(reason)),
	line(safe`Another pane works on; Ctrl-l tries again.`, 'quiet'),
];
