import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {AnyList} from '../state/list.ts';
import {blankLine, line, type Line, told, paragraph} from './line.ts';
import {searchedPart} from './title-parts.ts';

/** A pane that has nothing: `says` why, and what helps. */
export function emptyLines(says: readonly string[], width: number): readonly Line[] {
	const [first = '', ...rest] = says;
	return [
		blankLine,
		...told(first, width + 2, 'strong'),
		...rest.flatMap(text => told(text, width + 2, 'quiet')),
	];
}

/** A list that shows nothing under its filter: nothing passes so far, or the journal could not be searched. */
export function filteredLines(list: AnyList, width: number): readonly Line[] {
	const {isWhole, searched} = list.get();
	if (searched?.problem !== undefined) {
		return [
			...paragraph(searched.problem, width, 'bad'),
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
