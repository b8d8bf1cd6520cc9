import type {Safe} from '../../core/untrusted.ts';
import type {FieldRecord, FieldValue} from '../../nouns/field.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean, line, wrapText, type Line} from '../lines/line.ts';
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
export type FieldLook = {
	readonly width: number;
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

const titleCells = 27;
const marks = 3;
const maxDescribed = 3;
/** Rows below the cursor that should be seen, too. */
const below = 8;

/** The fields, one row each until one is entered, with what is wrong below them. */
export function fieldRows(form: FormState, look: FieldLook): FieldRows {
	const {width} = look;
	const current = currentField(form);
	const rows: Line[] = [];
	let place = {first: 0, last: 0};
	let cursor: FieldRows['cursor'];
	for (const field of form.fields) {
		const {editing} = form;
		const isCurrent = field === current;
		const first = rows.length;
		if (isCurrent && editing) {
			const typed = typedRows(editing, {width: Math.max(4, width - 5), isMasked: field.masked});
			rows.push(
				[
					{text: literal('> '), tone: 'accent'},
					{text: fit(titleOf(field), Math.max(1, width - 2)), tone: 'selected'},
				],
				...typed.rows.map(row => line(safe`    ${row}`, 'accent')),
				...look.offers,
			);
			cursor = {row: first + 1 + typed.cursor.row, column: 4 + typed.cursor.column};
			place = {first, last: cursor.row + below};
		} else {
			rows.push(fieldRow(form, field, {look, isCurrent}));
		}

		rows.push(
			...noteRows('✗', look.problems(field), width),
			...noteRows('!', look.warnings(field, form.values[field.key]), width),
		);
		if (isCurrent && !editing) {
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
const titleOf = ({title, key}: FieldRecord): Safe => clean(title === '' ? key : title);

function fieldRow(
	{values}: FormState,
	field: FieldRecord,
	{look, isCurrent}: {readonly look: FieldLook; readonly isCurrent: boolean},
): Line {
	return [
		{text: isCurrent ? literal('>') : literal(' '), tone: 'accent'},
		{text: look.isChanged(field) ? literal('~ ') : literal('  '), tone: 'warn'},
		{text: fit(titleOf(field), titleCells), tone: isCurrent ? 'selected' : 'quiet'},
		{
			text: fit(look.shown(field, values[field.key]), Math.max(0, look.width - marks - titleCells)),
			tone: isCurrent ? 'selected' : 'plain',
		},
	];
}

const noteRows = (sign: '✗' | '!', notes: readonly string[], width: number): readonly Line[] =>
	notes.flatMap(note =>
		wrapText(`${sign} ${note}`, width - marks - 1).map(text =>
			line(safe`    ${text}`, sign === '!' ? 'warn' : 'bad'),
		),
	);
