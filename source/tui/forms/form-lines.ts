import {quotedName, quotedTitle} from '../../core/names.ts';
import {type Safe, escapeLine, escapeBlock} from '../../core/untrusted.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {shownLine} from '../../terminal/text/line-editor.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {blankLine, line, wrapText, type Line, type Span} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';
import {currentField, problemsIn, type FormState, isArea} from './form.ts';
import {typedRows} from './typed-rows.ts';

/** A form as rows, and which of them must be visible for the cursor. */
type FormLines = {
	readonly rows: readonly Line[];
	readonly cursor: {readonly first: number; readonly last: number};
};

const indent = 4;
const titleCells = {least: 8, share: 0.4} as const;

/** The fields in rows of `width` cells: title, value, error, and below them the server's description. */
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

	return {
		rows: rows.length === 0 ? [line(literal('  nothing to fill in'), 'quiet')] : rows,
		cursor,
	};
}

/** The rows to keep visible. In a list of choices: the selected option, with the rows above the first and below the last one. */
function cursorIn(
	{kind, options = []}: FieldRecord,
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

/** A field's label. */
export const fieldTitle = ({title, key}: Pick<FieldRecord, 'title' | 'key'>): Safe =>
	escapeLine(title === '' ? quotedName(key) : quotedTitle(title));

const titleOf = (field: FieldRecord): Safe =>
	safe`${fieldTitle(field)}${field.required ? literal('*') : empty}`;

type Look = {
	readonly form: FormState;
	readonly isCurrent: boolean;
	readonly cells: number;
	readonly width: number;
	readonly problem: string | undefined;
};

/** The title and the value, both complete, then options, then the server's description. Rows after the first have a mark in the first column. */
function fieldRows(field: FieldRecord, look: Look): readonly Line[] {
	const {isCurrent, cells, width, problem} = look;
	const room = Math.max(8, width - indent - cells - 2);
	const isEditing = isCurrent && look.form.editing !== undefined;
	const title = titleOf(field);
	const isLong = widthOf(title) > cells;
	const titles = hardWrap(title, width - indent, maxRows).rows;
	const tone: Tone = isCurrent ? 'selected' : 'quiet';
	const values = isEditing
		? editedRows(field, look, room)
		: hardWrap(valueText(field, look.form), room, maxRows).rows;
	const beside = (mark: Safe): Line => [{text: mark}, {text: fit(empty, indent + cells + 1)}];
	const cursor = isCurrent ? literal('  > ') : literal('    ');
	const wrong = problem === undefined || isEditing ? undefined : safe`✗ ${escapeLine(problem)}`;
	const isBeside =
		wrong !== undefined &&
		values.length === 1 &&
		widthOf(values[0] ?? empty) + 2 + widthOf(wrong) <= room;
	return [
		...(isLong
			? titles.map((text, row): Line => [
					lead(row === 0 ? cursor : safe`${gutter.goesOn}   `),
					{text, tone},
				])
			: []),
		...values.map((text, row): Line => [
			...(row === 0
				? [
						lead(isLong ? safe`${gutter.line}   ` : cursor),
						{text: safe`${fit(isLong ? empty : title, cells)}  `, tone},
					]
				: beside(gutter.goesOn)),
			{text, tone: isEditing ? 'accent' : 'plain'},
			...(isBeside && row === 0 ? [{text: safe`  ${wrong}`, tone: 'bad'} as const] : []),
		]),
		...(wrong === undefined || isBeside
			? []
			: wrapText(wrong, room).map((text): Line => [...beside(gutter.line), {text, tone: 'bad'}])),
		...(field.kind === 'choices' ? optionRows(field, look) : []),
		...wrapText(escapeLine(field.description), room)
			.filter(row => row !== '')
			.map((row): Line => [...beside(gutter.remark), {text: row, tone: 'quiet'}]),
	];
}

const lead = (text: Safe): Span => ({text, tone: 'accent'});

/** More rows than any text of a form has. */
const maxRows = 2000;

function editedRows({masked}: FieldRecord, {form: {editing}}: Look, room: number): readonly Safe[] {
	if (!editing) {
		return [];
	}

	return isArea(editing)
		? typedRows(editing, room, masked).rows
		: [shownLine(editing, {width: room, isMasked: masked})];
}

/** A value for display; a masked one as stars. */
export function valueText(field: FieldRecord, {values}: Pick<FormState, 'values'>): Safe {
	const value = values[field.key] ?? '';
	const titleFor = (wanted: unknown) =>
		field.options?.find(option => option.value === wanted)?.title ?? String(wanted);
	if (Array.isArray(value)) {
		return value.length === 0
			? literal('(none)')
			: escapeLine(value.map(titleFor).map(quotedTitle).join(', '), maxValueLength);
	}

	if (typeof value === 'boolean') {
		return value ? literal('[x] yes') : literal('[ ] no');
	}

	if (value === '') {
		return field.kind === 'boolean' ? literal('[ ] not answered') : literal('-');
	}

	const text = typeof value === 'string' ? value : JSON.stringify(value);
	if (field.masked) {
		return escapeLine('*'.repeat(Math.min(text.length, 20)));
	}

	return field.kind === 'choice'
		? escapeLine(quotedTitle(titleFor(value)))
		: escapeLine(looksOtherwise.test(text) ? JSON.stringify(text) : text, maxValueLength);
}

/** Longer than any value, after escaping. */
const maxValueLength = 100_000;

/** A text that could be mistaken for an empty value, for one of svc's marks, or for several values. */
const looksOtherwise = /^[-([{"*✗]|^\s|\s$|\s{2}|\p{C}/u;

function optionRows(field: FieldRecord, {form, isCurrent, cells, width}: Look): readonly Line[] {
	const value = form.values[field.key];
	const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
	const room = Math.max(8, width - indent - cells - 2 - box);
	return (field.options ?? []).flatMap((option, index): readonly Line[] => {
		const isAt = isCurrent && index === form.option;
		return hardWrap(escapeLine(quotedTitle(option.title)), room, maxRows).rows.map(
			(text, row): Line => [
				{text: row === 0 ? gutter.line : gutter.goesOn, tone: 'quiet'},
				{text: fit(empty, indent + cells - 1)},
				{text: isAt && row === 0 ? literal('> ') : literal('  '), tone: 'accent'},
				{
					text: safe`${row > 0 ? literal('   ') : chosen.includes(option.value) ? literal('[x]') : literal('[ ]')} ${text}`,
					tone: isAt ? 'selected' : 'plain',
				},
			],
		);
	});
}

/** The cells of `[x] `. */
const box = 4;

/** The server's message above its form, complete, below a heading by svc; none of its rows can look like a field. */
export const messageLines = (message: string, width: number): readonly Line[] => [
	line(literal('  text by the server'), 'quiet'),
	...wrapText(escapeBlock(message), width - indent).map((row): Line => [
		{text: safe`${gutter.line}   `, tone: 'quiet'},
		{text: row},
	]),
	blankLine,
];
