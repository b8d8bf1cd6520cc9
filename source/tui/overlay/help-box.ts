import {termWords} from '../../core/filter/filter.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {blankLine, clean, line, type Line} from '../lines/line.ts';
import type {Pane} from '../panes/pane.ts';
import type {BoxContent} from './box-content.ts';
import {fillLine} from './box.ts';
import {helpLines} from './overlay-lines.ts';

const twoColumnsFrom = 76;
const widest = 120;

/** The words of the filters of a pane. */
function languageOf({sections}: Pane): readonly Line[] {
	const words = sections.flatMap(({listing}) => (listing ? termWords(listing.vocabulary) : []));
	return words.length === 0
		? []
		: [line(safe` Filter: ${clean(words.join(' · '))}  -not  "phrase"`, 'quiet')];
}

/** The key table, in two columns where there is room, and the words of the filter under it. */
export function helpBox(
	pane: Pane,
	{
		query,
		top,
		isReadOnly = false,
	}: {readonly query: string; readonly top: number; readonly isReadOnly?: boolean},
	room: {readonly width: number; readonly height: number},
): BoxContent {
	const width = Math.min(room.width, widest);
	const found = helpLines(pane, query, isReadOnly);
	const rows = found.length === 0 ? [line(literal('No key fits the search.'), 'quiet')] : found;
	const language = languageOf(pane);
	const columns = width >= twoColumnsFrom ? 2 : 1;
	const height = Math.max(1, room.height - language.length);
	const start = Math.max(0, Math.min(top, rows.length - height * columns));
	const end = Math.min(rows.length, start + height * columns);
	const cells = Math.floor((width - 1) / columns);
	const table = Array.from({length: height}, (_, row) => [
		{text: literal(' ')},
		...Array.from({length: columns}, (__, column) =>
			fillLine(rows[start + column * height + row] ?? blankLine, cells),
		).flat(),
	]);
	return {
		title: [
			[{text: literal('Help'), tone: 'title'}],
			[{text: pane.title}],
			query === ''
				? [{text: literal('/ search'), tone: 'quiet'}]
				: [{text: clean(query), tone: 'accent'}],
			end - start < rows.length
				? [{text: safe`rows ${start + 1} to ${end} of ${rows.length}: j k scroll`, tone: 'warn'}]
				: [],
		],
		rows: [...table, ...language],
		top: start,
		width,
	};
}
