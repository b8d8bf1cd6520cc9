import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {AnyList} from '../state/list.ts';
import {blankLine, line, type Line, told, paragraph} from './line.ts';
import {searchedPart} from './title-parts.ts';

/** An empty pane: `says` why, and what to do. */
export function emptyLines(says: readonly string[], width: number): readonly Line[] {
	const [first = '', ...rest] = says;
	return [
		blankLine,
		...told(first, width + 2, 'strong'),
		...rest.flatMap(text => told(text, width + 2, 'quiet')),
	];
}

/** A list whose filter matches nothing yet, or whose search of the journal failed. */
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

/** Shown in place of a pane that failed to draw. */
export const failedLines = (reason: string): readonly Line[] => [
	line(literal('✗ This pane could not be drawn'), 'bad'),
	line(escapeLine(reason)),
	line(safe`Another pane works on; Ctrl-l tries again.`, 'quiet'),
];
