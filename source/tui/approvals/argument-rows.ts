import type {FromEvent} from '../../core/approvals/from-event.ts';
import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {quotedName} from '../../core/names.ts';
import {type Safe, type Escaped, escapeLineCounting, escapeLine} from '../../core/untrusted.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {gutter} from '../../terminal/text/gutter.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {hardWrap} from '../../terminal/text/wrap-words.ts';
import {line, wrapText, type Line, type Span} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

/** A call's arguments laid out for reading. */
export type ArgumentRows = {
	readonly rows: readonly Line[];
	/** How many arguments there are, or lines of a command or change; `undefined` if the arguments are no object. */
	readonly count: number | undefined;
	/** Whether `rows` contain every character of the arguments. */
	readonly isWhole: boolean;
	/** How many hostile characters were escaped. */
	readonly flags: number;
};

/** With more rows than this, the pager is used. */
export const maxArgumentRows = 200;

export const indent = 4;
const nameCells = {least: 6, most: 16} as const;
const maxValueLength = 64_000;

type Argument = {
	/** Absent if the arguments are no object. */
	readonly name: string | undefined;
	readonly value: JsonValue | undefined;
	readonly before: JsonValue | undefined;
	readonly origin?: FromEvent | undefined;
};

type ArgumentLook = {
	readonly last: JsonValue | undefined;
	readonly width: number;
	/** The texts of this value that also occur in the event. */
	readonly fromEvent?: readonly FromEvent[];
};

/**
 * Lays the arguments out in rows of `width` cells, compared with the last allowed call. Control characters are escaped and counted. Rows beyond 200 are left out,
 * and `isWhole` is then false.
 */
export function argumentRows(
	args: JsonValue,
	{last, width, fromEvent = []}: ArgumentLook,
): ArgumentRows {
	const origins = new Map(fromEvent.map(one => [one.argument, one]));
	const list = argumentsOf(args, last).map(argument => ({
		...argument,
		origin: argument.value === undefined ? undefined : origins.get(argument.name ?? ''),
	}));
	const names = list.map(({name}) => widthOf(nameOf(name).text));
	const cells = Math.min(Math.max(...names, nameCells.least), nameCells.most);
	const rows: Line[] = [];
	let flags = 0;
	for (const argument of list) {
		const shown = rowsOf(argument, {isCompared: last !== undefined, cells, width});
		flags += shown.flags;
		rows.push(...shown.rows);
		if (!shown.isWhole || rows.length > maxArgumentRows) {
			return cutRows(rows, {count: countOf(args), flags});
		}
	}

	return {rows, count: countOf(args), isWhole: true, flags};
}

const notWhole = line(literal('  … not everything can be shown here: e opens all of it'), 'warn');

const countOf = (args: JsonValue): number | undefined =>
	isJsonObject(args) ? Object.keys(args).length : undefined;

function argumentsOf(args: JsonValue, last: JsonValue | undefined): readonly Argument[] {
	if (!isJsonObject(args)) {
		return [{name: undefined, value: args, before: last}];
	}

	const earlier = isJsonObject(last) ? last : {};
	const gone = Object.keys(earlier).filter(name => !Object.hasOwn(args, name));
	return [
		...Object.keys(args).map(name => ({
			name,
			value: args[name],
			before: Object.hasOwn(earlier, name) ? earlier[name] : undefined,
		})),
		...gone.map(name => ({name, value: undefined, before: earlier[name]})),
	];
}

type Shape = {readonly isCompared: boolean; readonly cells: number; readonly width: number};

const nameOf = (name: string | undefined): Escaped =>
	name === undefined ? {text: empty, flags: 0} : wholeCell(quotedName(name), maxNameLength);

/** Escapes a text of at most `maxLength` characters. The bound is applied before escaping, which lengthens texts: bounding afterwards would cut without saying so. */
const wholeCell = (text: string, maxLength: number): Escaped =>
	escapeLineCounting(text.length > maxLength ? text.slice(0, maxLength) : text, Infinity);

const maxNameLength = 2000;
const maxNameRows = 40;

/** Two columns for the gutter, two for the sign. */
export const head = (mark: Safe, sign: Safe): Span => ({
	text: safe`${mark} ${sign} `,
	tone: 'warn',
});

/** Rows of one argument: its sign on the first row, a continuation mark in the first column of the others. A name longer than its column gets a row above its value, uncut. */
function rowsOf({name, value, before, origin}: Argument, {isCompared, cells, width}: Shape) {
	const key = nameOf(name);
	const room = Math.max(8, width - indent - cells - 2);
	const now = valueLines(value, room);
	const isChanged = isCompared && before !== undefined && !isSame(value, before);
	const isNew = isCompared && before === undefined;
	const flags = now.flags + key.flags;
	const notes = [
		...(flags > 0 ? [safe`⚑ ${flags} control`] : []),
		...(origin ? [originText(origin)] : []),
		...(isNew ? [literal('first time this value')] : []),
		...(isChanged ? [safe`was ${oneLine(before)}`] : []),
	];
	const note = notes.length === 0 ? empty : notes.reduce((text, part) => safe`${text} · ${part}`);
	const sign =
		value === undefined
			? literal('-')
			: isChanged
				? literal('~')
				: isNew
					? literal('+')
					: literal(' ');
	const tone: Tone = isChanged || isNew ? 'strong' : 'plain';
	const names = hardWrap(key.text, width - indent, maxNameRows);
	const isLong = widthOf(key.text) > cells;
	const blank = fit(empty, cells + 2);
	const [first, ...more] = now.rows;
	const shown = value === undefined ? literal('(left out)') : (first?.text ?? empty);
	const isBeside = more.length === 0 && widthOf(shown) + 3 + widthOf(note) <= room;
	const rows: Line[] = [
		...(isLong
			? names.rows.map((text, row): Line => [
					row === 0 ? head(literal(' '), sign) : head(gutter.goesOn, literal(' ')),
					{text, tone: 'quiet'},
				])
			: []),
		[
			isLong ? head(gutter.line, literal(' ')) : head(literal(' '), sign),
			{text: isLong ? blank : safe`${fit(key.text, cells)}  `, tone: 'quiet'},
			{text: shown, tone},
			...(isBeside && note !== '' ? [{text: safe`   ${note}`, tone: 'warn'} as const] : []),
		],
		...more.map(({text, mark}): Line => [head(mark, literal(' ')), {text: blank}, {text, tone}]),
		...(isBeside || note === '' ? [] : remarkRows(note, room, [{text: blank}])),
	];
	const isNamed = names.isWhole && quotedName(name ?? '').length <= maxNameLength;
	return {rows, flags, isWhole: now.isWhole && isNamed};
}

/** Says that an argument comes from the event. The field's name was also chosen by a stranger. */
export const originText = ({field, isWhole}: FromEvent): Safe =>
	safe`${isWhole ? literal('stands in the event') : literal('a part stands in the event')}: ${escapeLine(quotedName(field), maxFieldLength)}`;

const maxFieldLength = 80;

const notesRows = 6;

/** A remark in rows of `width` cells, after their marks and `between`. */
export const remarkRows = (note: Safe, width: number, between: Line = []): readonly Line[] =>
	wrapText(note, width)
		.slice(0, notesRows)
		.map((text, row): Line => [
			head(row === 0 ? gutter.remark : gutter.goesOn, literal(' ')),
			...between,
			{text, tone: 'warn'},
		]);

/** Says how many rows are shown, when there are more. */
export const cutRows = (
	rows: readonly Line[],
	told: Pick<ArgumentRows, 'count' | 'flags'>,
): ArgumentRows => ({...told, rows: [...rows.slice(0, maxArgumentRows), notWhole], isWhole: false});

/** A row of a value; the mark tells a new line from a wrapped one. */
type ValueRow = {readonly text: Safe; readonly mark: Safe};

/** A value as JSON: in one row if it fits; otherwise one row per part of an object or list, or per line of a text. */
function valueLines(value: JsonValue | undefined, width: number) {
	if (value === undefined) {
		return {rows: [], flags: 0, isWhole: true};
	}

	const short = JSON.stringify(value);
	const parts = typeof value === 'object' ? JSON.stringify(value, undefined, 2) : short;
	const isShort = short.length <= width;
	const lines = isShort ? [short] : parts.split('\n');
	const rows: ValueRow[] = [];
	for (const json of lines) {
		for (const [index, text] of (isShort ? [json] : afterLineBreaks(json)).entries()) {
			const wrapped = hardWrap(
				wholeCell(text, maxValueLength).text,
				width,
				maxArgumentRows + 1 - rows.length,
			);
			rows.push(
				...wrapped.rows.map((row, at) => ({
					text: row,
					mark: index === 0 && at === 0 ? gutter.line : gutter.goesOn,
				})),
			);
			if (!wrapped.isWhole || text.length > maxValueLength) {
				return {rows, flags: flagsOf(value), isWhole: false};
			}
		}
	}

	return {rows, flags: flagsOf(value), isWhole: true};
}

/** Splits JSON after each escaped line break, so that a file reads as lines; nothing is added or removed. A backslash is kept with the character after it. */
const afterLineBreaks = (json: string): readonly string[] =>
	json.replaceAll(/\\[^]/g, escape => (escape === '\\n' ? '\\n\n' : escape)).split(/\n(?=.)/);

const maxLooked = 100_000;

/** Counts hostile characters in a value's texts. Line breaks and tabs do not count: JSON writes them visibly. */
function flagsOf(value: JsonValue): number {
	let flags = 0;
	JSON.stringify(value, (key: string, part: unknown) => {
		const looked = typeof part === 'string' ? part.replaceAll(/[\n\r\t]/g, ' ') : '';
		flags += escapeLineCounting(looked, maxLooked).flags + escapeLineCounting(key).flags;
		return part;
	});
	return flags;
}

const maxBeforeLength = 120;

const oneLine = (value: JsonValue): Safe => escapeLine(JSON.stringify(value), maxBeforeLength);

const isSame = (one: JsonValue | undefined, other: JsonValue): boolean =>
	JSON.stringify(one) === JSON.stringify(other);
