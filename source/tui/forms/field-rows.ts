import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {isTyped, typedText} from '../../nouns/field-kinds.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {line, wrapText, type Line, type Span} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {currentField, type FormState} from './form.ts';
import {typedRows} from './typed-rows.ts';

/** A form in rows, and the first and last row of what keys act on; `cursor`: where the next letter goes. */
export type FieldRows = {
	readonly rows: readonly Line[];
	readonly first: number;
	readonly last: number;
	readonly cursor?: {readonly row: number; readonly column: number};
};

/** What a form knows of its fields beside their values. */
type FieldLook = {
	readonly width: number;
	/** The part of the form that a field is in; it stands before the first field of it. */
	group(field: FieldRecord): Safe;
	/** A value in one row. */
	shown(field: FieldRecord, value: FieldValue): Safe;
	/** It is not as it was at first. */
	isChanged(field: FieldRecord): boolean;
	/** What is wrong with it, one text each. */
	problems(field: FieldRecord): readonly string[];
	/** What to know of its value, which may stand. */
	warnings(field: FieldRecord, value: FieldValue): readonly string[];
	/** What can be chosen for what is typed, in rows below it. */
	readonly offers: readonly Line[];
};

const marks = 3;
const groupCells = 7;
const titleCells = 18;
const before = marks + groupCells + titleCells;
const maxDescribed = 3;
/** Rows of a value that has no room beside its title, and of the one that keys act on. */
const maxRows = {other: 4, current: 10} as const;
/** Rows below the cursor that should be seen, too. */
const below = 8;

/** The fields, one row each where that has room, with what is wrong beside or below their values. */
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
		// What has room beside the value is taken out of here.
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

/** What a field is called. */
const titleOf = ({title, key}: FieldRecord): Safe => escapeLine(title === '' ? key : title);

type ValueLook = {
	readonly look: FieldLook;
	readonly head: Line;
	readonly isCurrent: boolean;
	readonly notes: Array<{readonly text: string; readonly tone: Tone}>;
};

/** A value beside its title, with what is said of it where both have room; one of several lines, or that is looked at and has none, at full width below. */
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
