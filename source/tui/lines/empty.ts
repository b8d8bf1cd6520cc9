import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {AnyList} from '../state/list.ts';
import type {Tone} from '../theme/theme.ts';
import {blankLine, line, wrapText, type Line} from './line.ts';
import {searchedPart} from './title-parts.ts';

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

/** A list that shows nothing under its filter: because nothing passes, as far as was looked, or because nobody could look. */
export function filteredLines(list: AnyList, width: number): readonly Line[] {
	const {isWhole, searched} = list.get();
	if (searched?.problem !== undefined) {
		return [
			...wrapText(searched.problem, width).map(text => line(text, 'bad')),
			line(literal('It is tried again by itself. Esc clears the filter, / changes it.'), 'quiet'),
		];
	}

	const help = line(literal('Esc clears it, / changes it.'), 'quiet');
	return isWhole
		? [line(literal('Nothing passes the filter.')), help]
		: [[{text: literal('searching…')}], searchedPart(list), help];
}

/** What a pane shows in place of itself when drawing it failed. */
export const failedLines = (reason: string): readonly Line[] => [
	line(literal('✗ This pane could not be drawn'), 'bad'),
	line(escapeLine(reason)),
	line(safe`Another pane works on; Ctrl-l tries again.`, 'quiet'),
];
