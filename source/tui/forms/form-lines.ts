import type {FormField} from '../../core/approval.ts';
import {block, type Safe} from '../../core/untrusted.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {shownLine} from '../../terminal/text/line-editor.ts';
import {empty, own, ui} from '../../terminal/text/safe.ts';
import {blankLine, clean, line, wrapText, type Line} from '../panes/line.ts';
import {currentField, problemsIn, type FormState} from './form.ts';

/** A form in rows, and the rows that have to be seen of what keys act on. */
export type FormLines = {
	readonly rows: readonly Line[];
	readonly cursor: {readonly first: number; readonly last: number};
};

const indent = 4;
const titleCells = {least: 8, share: 0.4} as const;

/** The fields in rows of `width` cells: title, value, what is wrong with it, and under it what the server says. */
export function formLines(form: FormState, width: number): FormLines {
	const problems = problemsIn(form);
	const titles = form.fields.map(field => widthOf(titleOf(field)));
	const cells = Math.min(
		Math.max(...titles, titleCells.least),
		Math.floor(width * titleCells.share),
	);
	const current = currentField(form);
	const rows: Line[] = [];
	let cursor: FormLines['cursor'] = {first: 0, last: 0};
	for (const field of form.fields) {
		const isCurrent = field === current;
		const shown = fieldRows(field, {
			form,
			isCurrent,
			cells,
			width,
			problem: problems.get(field.key),
		});
		if (isCurrent) {
			cursor = cursorIn(field, {option: form.option, from: rows.length, count: shown.length});
		}

		rows.push(...shown);
	}

	return {rows: rows.length === 0 ? [line(own('  nothing to fill in'), 'quiet')] : rows, cursor};
}

/** A field with what is said of it; of a list of choices the option alone, at its ends with what is above or below. */
function cursorIn(
	{kind, options = []}: FormField,
	{option, from, count}: {readonly option: number; readonly from: number; readonly count: number},
): FormLines['cursor'] {
	const row = from + option + 1;
	return kind === 'choices'
		? {
				first: option === 0 ? from : row,
				last: option >= options.length - 1 ? from + count - 1 : row,
			}
		: {first: from, last: from + count - 1};
}

/** What a field is called. */
export const fieldTitle = ({title, key}: Pick<FormField, 'title' | 'key'>): Safe =>
	clean(title === '' ? key : title);

const titleOf = (field: FormField): Safe =>
	ui`${fieldTitle(field)}${field.required ? own('*') : empty}`;

type Look = {
	readonly form: FormState;
	readonly isCurrent: boolean;
	readonly cells: number;
	readonly width: number;
	readonly problem: string | undefined;
};

function fieldRows(field: FormField, look: Look): readonly Line[] {
	const {isCurrent, cells, width, problem} = look;
	const room = Math.max(8, width - indent - cells - 2);
	const isEditing = isCurrent && look.form.editing !== undefined;
	const head: Line = [
		{text: isCurrent ? own('  > ') : own('    '), tone: 'accent'},
		{text: ui`${fit(titleOf(field), cells)}  `, tone: isCurrent ? 'selected' : 'quiet'},
		{
			text: isEditing ? editedText(field, look, room) : valueText(field, look.form),
			tone: isEditing ? 'accent' : 'plain',
		},
		...(problem === undefined || isEditing
			? []
			: [{text: ui`  ✗ ${clean(problem)}`, tone: 'bad'} as const]),
	];
	return [
		head,
		...(field.kind === 'choices' ? optionRows(field, look) : []),
		...wrapText(clean(field.description), room)
			.filter(row => row !== '')
			.map((row): Line => [{text: fit(empty, indent + cells + 2)}, {text: row, tone: 'quiet'}]),
	];
}

const editedText = ({masked}: FormField, {form}: Look, room: number): Safe =>
	form.editing ? shownLine(form.editing, {width: room, isMasked: masked}) : empty;

/** A value for a person; a masked one as so many stars. */
export function valueText(field: FormField, {values}: Pick<FormState, 'values'>): Safe {
	const value = values[field.key];
	const titleFor = (wanted: unknown) =>
		field.options?.find(option => option.value === wanted)?.title ?? String(wanted);
	if (Array.isArray(value)) {
		return value.length === 0 ? own('(none)') : clean(value.map(titleFor).join(', '));
	}

	if (typeof value === 'boolean') {
		return value ? own('[x] yes') : own('[ ] no');
	}

	if (typeof value !== 'string' || value === '') {
		return field.kind === 'boolean' ? own('[ ] not answered') : own('-');
	}

	if (field.masked) {
		return clean('*'.repeat(Math.min(value.length, 20)));
	}

	return clean(field.kind === 'choice' ? titleFor(value) : value);
}

function optionRows(field: FormField, {form, isCurrent, cells}: Look): readonly Line[] {
	const value = form.values[field.key];
	const chosen: readonly string[] = Array.isArray(value) ? value : [];
	return (field.options ?? []).map((option, index): Line => [
		{text: fit(empty, indent + cells)},
		{text: isCurrent && index === form.option ? own('> ') : own('  '), tone: 'accent'},
		{
			text: ui`${chosen.includes(option.value) ? own('[x]') : own('[ ]')} ${clean(option.title)}`,
			tone: isCurrent && index === form.option ? 'selected' : 'plain',
		},
	]);
}

const mostMessageRows = 8;

/** What a server says above its form, under a heading of ours. */
export function messageLines(message: string, width: number): readonly Line[] {
	const rows = wrapText(block(message).text, width - indent);
	return [
		line(own('  text by the server'), 'quiet'),
		...rows.slice(0, mostMessageRows).map(row => line(ui`    ${row}`)),
		...(rows.length > mostMessageRows ? [line(own('    … e opens all of it'), 'warn')] : []),
		blankLine,
	];
}
