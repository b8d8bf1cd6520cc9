import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {isTyped, typedText} from '../../nouns/field-kinds.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {line, wrapText, type Line, type Span} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {currentField, type FormState} from './form.ts';
import {typedRows} from './typed-rows.ts';

/** A form as rows, with the first and last row of the selected field; `cursor`: where the next letter goes. */
export type FieldRows = {
	readonly rows: readonly Line[];
	readonly first: number;
	readonly last: number;
	readonly cursor?: {readonly row: number; readonly column: number};
};

/** What is shown of a field besides its value. */
type FieldLook = {
	readonly width: number;
	/** The section that a field belongs to, shown as heading above the section's first field. */
	group(field: FieldRecord): Safe;
	/** A value in one row. */
	shown(field: FieldRecord, value: FieldValue): Safe;
	/** Whether the value differs from the initial one. */
	isChanged(field: FieldRecord): boolean;
	/** The field's errors, one text each. */
	problems(field: FieldRecord): readonly string[];
	/** Warnings about a valid value. */
	warnings(field: FieldRecord, value: FieldValue): readonly string[];
	/** Completions for the typed text, in rows below it. */
	readonly offers: readonly Line[];
};

const marks = 3;
const groupCells = 7;
const titleCells = 18;
const before = marks + groupCells + titleCells;
const maxDescribed = 3;
/** The most rows of a value too long for the row of its title; more for the selected field. */
const maxRows = {other: 4, current: 10} as const;
/** Rows below the cursor to keep visible. */
const below = 8;

/** The fields, in one row each if they fit, with errors beside or below their values. */
export function fieldRows(form: FormState, look: FieldLook): FieldRows {
	const {width} = look;
	const current = currentField(form);
	const rows: Line[] = [];
	let place = {first: 0, last: 0};
	let cursor: FieldRows['cursor'];
	let group = empty;
	for (const field of form.fields) {
		const {editing} = form;
		const isCurrent = field === current;
		const first = rows.length;
		const own = look.group(field);
		const isTypedIn = isCurrent && editing !== undefined;
		const head: Line = [
			{text: isCurrent ? literal('>') : literal(' '), tone: 'accent'},
			{text: look.isChanged(field) ? literal('~ ') : literal('  '), tone: 'warn'},
			{text: fit(own === group ? empty : own, groupCells), tone: 'title'},
			{text: fit(titleOf(field), titleCells), tone: isCurrent ? 'selected' : 'quiet'},
		];
		group = own;
		// Messages that fit beside the value are removed from those below it.
		const notes = [
			...look.problems(field).map(text => ({text: `✗ ${text}`, tone: 'bad'}) as const),
			...look
				.warnings(field, form.values[field.key])
				.map(text => ({text: `! ${text}`, tone: 'warn'}) as const),
		];
		if (isTypedIn) {
			const typed = typedRows(editing, Math.max(4, width - 5), field.masked);
			rows.push(head, ...typed.rows.map(row => line(safe`    ${row}`, 'accent')), ...look.offers);
			cursor = {row: first + 1 + typed.cursor.row, column: 4 + typed.cursor.column};
			place = {first, last: cursor.row + below};
		} else {
			rows.push(...valueRows(form, field, {look, head, isCurrent, notes}));
		}

		rows.push(
			...notes.flatMap(({text, tone}) =>
				wrapText(text, width - marks - groupCells).map(row =>
					line(safe`${fit(empty, marks + groupCells)}${row}`, tone),
				),
			),
		);
		if (isCurrent && !editing) {
			rows.push(
				...wrapText(field.description, width - marks - groupCells)
					.slice(0, maxDescribed)
					.map(text => line(safe`${fit(empty, marks + groupCells)}${text}`, 'quiet')),
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

/** A field's label. */
const titleOf = ({title, key}: FieldRecord): Safe => escapeLine(title === '' ? key : title);

type ValueLook = {
	readonly look: FieldLook;
	readonly head: Line;
	readonly isCurrent: boolean;
	readonly notes: Array<{readonly text: string; readonly tone: Tone}>;
};

/** A value beside its title, with its messages if both fit. A value with several lines, or a selected one that does not fit, is shown at full width below. */
function valueRows(
	{values}: FormState,
	field: FieldRecord,
	{look, head, isCurrent, notes}: ValueLook,
): readonly Line[] {
	const value = values[field.key];
	const tone = isCurrent ? 'selected' : value === undefined ? 'quiet' : 'plain';
	const room = Math.max(0, look.width - before);
	const text = look.shown(field, value);
	const whole = isTyped(field) ? typedText(field, value) : '';
	const isLong = whole.includes('\n') || widthOf(text) > room;
	if (isLong && whole !== '' && (isCurrent || field.kind === 'lines')) {
		const all = wrapText(whole.trimEnd(), look.width - 4);
		const most = isCurrent ? maxRows.current : maxRows.other;
		const more = all.length - most;
		return [
			head,
			...all.slice(0, most).map(row => line(safe`    ${row}`, isCurrent ? 'plain' : tone)),
			...(more > 0
				? [line(safe`    … ${more} more ${more === 1 ? literal('row') : literal('rows')}`, 'quiet')]
				: []),
		];
	}

	const [note] = notes;
	const said: Span | undefined = note && {...note, text: escapeLine(note.text)};
	const isBeside = said && widthOf(text) + 3 + widthOf(said.text) <= room;
	if (isBeside) {
		notes.shift();
	}

	return [
		[
			...head,
			{text: isBeside ? text : fit(text, room), tone},
			...(isBeside ? [{text: literal('   ')}, said] : []),
		],
	];
}
