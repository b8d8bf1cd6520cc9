import type {RouteField} from '../../core/route-editor.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import type {AreaText} from '../../terminal/text/area-editor.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {splitGraphemes, type LineText} from '../../terminal/text/line-editor.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {clean, line, wrapText, type Line} from '../panes/line.ts';
import {isChanged, valueIn} from './draft.ts';
import {completionsOf, type EditorState, type Typing} from './editor-state.ts';
import {shownValue} from './field-text.ts';

/** A form in rows, and the first and last row of what keys act on; `cursor`: where the next letter goes. */
export type EditorLines = {
	readonly rows: readonly Line[];
	readonly first: number;
	readonly last: number;
	readonly cursor?: {readonly row: number; readonly column: number};
};

const titleCells = 27;
const marks = 3;
const maxShown = 8;
const maxDescribed = 3;

/** The fields, one row each until one is entered, with what is wrong below them. */
export function editorLines(state: EditorState, width: number): EditorLines {
	const rows: Line[] = [];
	let place = {first: 0, last: 0};
	let cursor: EditorLines['cursor'];
	for (const [index, field] of state.fields.entries()) {
		const isCurrent = index === state.index;
		const first = rows.length;
		const {typing} = state;
		if (isCurrent && typing) {
			const typed = typedLines(field, typing, width);
			rows.push(...typed.rows, ...completionLines(state, width));
			cursor = {row: first + typed.row, column: typed.column};
			place = {first: Math.min(first + typed.row, first), last: first + typed.row + maxShown};
		} else {
			rows.push(fieldRow(state, field, {isCurrent, width}));
		}

		rows.push(...problemLines(state, field, width));
		if (isCurrent && !typing) {
			rows.push(
				...wrapText(field.description, width - marks - 1)
					.slice(0, maxDescribed)
					.map(text => line(safe`    ${text}`, 'quiet')),
			);
			place = {first, last: rows.length - 1};
		}
	}

	return {
		rows,
		first: place.first,
		last: Math.min(place.last, rows.length - 1),
		...(cursor && {cursor}),
	};
}

/** What a field is called. */
const titleOf = ({path}: RouteField): Safe =>
	path.length === 0 ? literal('name') : clean(path.join('.'));

function fieldRow(
	state: EditorState,
	field: RouteField,
	{isCurrent, width}: {readonly isCurrent: boolean; readonly width: number},
): Line {
	const {draft} = state;
	const isName = field.path.length === 0;
	const value = isName
		? clean(draft.name === '' ? '-' : draft.name)
		: field.path[0] === 'secret' &&
			  draft.isNew &&
			  valueIn(draft.definition, field.path) === undefined
			? literal('a new one is made')
			: shownValue(field, valueIn(draft.definition, field.path));
	const isOther = isName ? draft.name !== '' : isChanged(draft, field.path);
	const tone = isCurrent ? 'selected' : 'plain';
	return [
		{text: isCurrent ? literal('>') : literal(' '), tone: 'accent'},
		{text: isOther ? literal('~ ') : literal('  '), tone: 'warn'},
		{text: fit(titleOf(field), titleCells), tone: isCurrent ? 'selected' : 'quiet'},
		{text: fit(value, Math.max(0, width - marks - titleCells)), tone},
	];
}

function problemLines({check}: EditorState, {path}: RouteField, width: number): readonly Line[] {
	const own = path.join('.');
	const found = (check?.problems ?? []).filter(
		problem =>
			problem.path === own ||
			(own !== '' && problem.path.startsWith(`${own}.`)) ||
			// A mapping whose settings stand one by one tells of itself at its first.
			(path.length > 1 && problem.path === path[0]),
	);
	return found.flatMap(problem => {
		const inside = problem.path.startsWith(`${own}.`)
			? `${problem.path.slice(own.length + 1)} `
			: '';
		return wrapText(`✗ ${inside}${problem.message}`, width - marks - 1).map(text =>
			line(safe`    ${text}`, 'bad'),
		);
	});
}

/** A field while it is typed in; a secret as so many stars. */
function typedLines(
	field: RouteField,
	{kind, text}: Typing,
	width: number,
): {readonly rows: readonly Line[]; readonly row: number; readonly column: number} {
	const head: Line = [
		{text: literal('> '), tone: 'accent'},
		{text: fit(titleOf(field), Math.max(1, width - 2)), tone: 'selected'},
	];
	const {lines, row, column} = kind === 'line' ? asArea(text) : text;
	const isMasked = field.secret === true && kind === 'line';
	const room = Math.max(4, width - 5);
	const rows: Line[] = [head];
	let cursor = {row: 0, column: 0};
	for (const [index, one] of lines.entries()) {
		const parts = splitGraphemes(one).map(part => (isMasked ? '*' : cell(part, 64).text));
		const wrapped = wrapParts(parts, room, index === row ? column : undefined);
		if (wrapped.cursor) {
			cursor = {row: rows.length + wrapped.cursor.row, column: 4 + wrapped.cursor.column};
		}

		rows.push(...wrapped.rows.map(shown => line(safe`    ${shown}`, 'accent')));
	}

	return {rows, ...cursor};
}

const asArea = ({value, cursor}: LineText): AreaText => ({lines: [value], row: 0, column: cursor});

const cursorSign = literal('█');

/** The graphemes of one line as rows of at most `room` cells, with the sign of the cursor before the one at `cursor`. */
function wrapParts(
	parts: readonly string[],
	room: number,
	cursor: number | undefined,
): {
	readonly rows: readonly Safe[];
	readonly cursor?: {readonly row: number; readonly column: number};
} {
	const rows: Safe[] = [];
	let row = empty;
	let at: {readonly row: number; readonly column: number} | undefined;
	const put = (part: Safe) => {
		if (widthOf(row) + widthOf(part) > room) {
			rows.push(row);
			row = empty;
		}

		row = safe`${row}${part}`;
	};

	for (const [index, part] of [...parts, ''].entries()) {
		if (index === cursor) {
			put(cursorSign);
			at = {row: rows.length, column: widthOf(row) - 1};
		}

		if (part !== '') {
			put(cell(part, 64).text);
		}
	}

	return {rows: [...rows, row], ...(at && {cursor: at})};
}

/** What can complete the `{` before the cursor. */
function completionLines(state: EditorState, width: number): readonly Line[] {
	const all = completionsOf(state);
	const at = state.completion ?? 0;
	const from = Math.max(0, Math.min(at - maxShown + 1, all.length - maxShown));
	const samples = new Map((state.keys?.keys ?? []).map(({key, sample}) => [key, sample]));
	return [
		...all.slice(from, from + maxShown).map((key, index): Line => [
			{text: literal('     ')},
			{text: from + index === at ? literal('> ') : literal('  '), tone: 'accent'},
			{
				text: fit(clean(key), Math.floor((width - 8) * 0.6)),
				tone: from + index === at ? 'selected' : 'plain',
			},
			{text: safe` ${clean(samples.get(key) ?? '')}`, tone: 'quiet'},
		]),
		...(all.length > maxShown
			? [line(safe`       ${all.length} keys were seen; type to find one`, 'quiet')]
			: []),
	];
}
