import {isJsonObject, type JsonValue} from '../../core/json.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {hardWrap} from '../../terminal/text/hard-wrap.ts';
import {empty, own, ui} from '../../terminal/text/safe.ts';
import {clean, line, type Line} from '../panes/line.ts';
import type {Tone} from '../theme/theme.ts';

/** Arguments of a call as a person reads them. */
export type ArgumentRows = {
	readonly rows: readonly Line[];
	/** How many arguments there are; `undefined` for what is no object. */
	readonly count: number | undefined;
	/** Every character of them is in `rows`. */
	readonly isWhole: boolean;
	/** Characters that had to be made visible. */
	readonly flags: number;
};

/** More rows than this are read in a pager. */
export const mostArgumentRows = 200;

const indent = 4;
const nameCells = {least: 6, most: 16} as const;
const longestValue = 64_000;

type Argument = {
	readonly name: string;
	readonly value: JsonValue | undefined;
	readonly before: JsonValue | undefined;
};

/**
 * The arguments in rows of `width` cells, compared with those of the last call that was allowed. Control characters are escaped and flagged. What does
 * not fit in 200 rows is left out, and `isWhole` is false.
 */
export function argumentRows(
	args: JsonValue,
	{last, width}: {readonly last: JsonValue | undefined; readonly width: number},
): ArgumentRows {
	const list = argumentsOf(args, last);
	const longest = Math.max(...list.map(({name}) => widthOf(clean(name))), nameCells.least);
	const cells = Math.min(longest, nameCells.most);
	const rows: Line[] = [];
	let flags = 0;
	for (const argument of list) {
		const shown = rowsOf(argument, {isCompared: last !== undefined, cells, width});
		flags += shown.flags;
		rows.push(...shown.rows);
		if (!shown.isWhole || rows.length > mostArgumentRows) {
			const note = own('  … not everything can be shown here: e opens all of it');
			return {
				rows: [...rows.slice(0, mostArgumentRows), line(note, 'warn')],
				count: countOf(args),
				isWhole: false,
				flags,
			};
		}
	}

	return {rows, count: countOf(args), isWhole: true, flags};
}

const countOf = (args: JsonValue): number | undefined =>
	isJsonObject(args) ? Object.keys(args).length : undefined;

function argumentsOf(args: JsonValue, last: JsonValue | undefined): readonly Argument[] {
	if (!isJsonObject(args)) {
		return [{name: '', value: args, before: last}];
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

function rowsOf({name, value, before}: Argument, {isCompared, cells, width}: Shape) {
	const key = cell(name);
	const room = Math.max(8, width - indent - cells - 2);
	const now = valueLines(value, room);
	const isChanged = isCompared && before !== undefined && !isSame(value, before);
	const isNew = isCompared && before === undefined;
	const flags = now.flags + key.flags;
	const notes = [
		...(flags > 0 ? [ui`⚑ ${flags} control`] : []),
		...(isNew ? [own('first time this value')] : []),
		...(isChanged ? [ui`was ${oneLine(before)}`] : []),
	];
	const [first = empty, ...more] = now.rows;
	const sign = value === undefined ? own('-') : isChanged ? own('~') : isNew ? own('+') : own(' ');
	const note = notes.length === 0 ? empty : notes.reduce((text, part) => ui`${text} · ${part}`);
	const isBeside = more.length === 0 && widthOf(first) + 3 + widthOf(note) <= room;
	const blank = fit(empty, indent + cells + 2);
	const tone: Tone = isChanged || isNew ? 'strong' : 'plain';
	const names = hardWrap(key.text, width - indent, notesRows);
	const isLong = widthOf(key.text) > cells;
	const rows: Line[] = [
		...(isLong
			? names.rows.map((text, index): Line => [
					{text: index === 0 ? ui`  ${sign} ` : fit(empty, indent), tone: 'warn'},
					{text, tone: 'quiet'},
				])
			: []),
		[
			{text: isLong ? fit(empty, indent) : ui`  ${sign} `, tone: 'warn'},
			{text: ui`${fit(isLong ? empty : key.text, cells)}  `, tone: 'quiet'},
			{text: value === undefined ? own('(left out)') : first, tone},
			...(isBeside && note !== '' ? [{text: ui`   ${note}`, tone: 'warn'} as const] : []),
		],
		...more.map((text): Line => [{text: blank}, {text, tone}]),
		...(isBeside || note === ''
			? []
			: hardWrap(note, room, notesRows).rows.map((text): Line => [
					{text: blank},
					{text, tone: 'warn'},
				])),
	];
	return {rows, flags, isWhole: now.isWhole && names.isWhole && name.length <= longestKey};
}

const notesRows = 3;
const longestKey = 1000;

/** A value as JSON: in one row where it fits; otherwise an object or a list with a row for each of its parts, and a text with a row for each of its lines. */
function valueLines(value: JsonValue | undefined, width: number) {
	if (value === undefined) {
		return {rows: [], flags: 0, isWhole: true};
	}

	const short = JSON.stringify(value);
	const parts = typeof value === 'object' ? JSON.stringify(value, undefined, 2) : short;
	const lines = short.length > width ? parts.split('\n').flatMap(afterLineBreaks) : [short];
	const rows: Safe[] = [];
	for (const text of lines) {
		const {text: safe} = cell(text, longestValue);
		const wrapped = hardWrap(safe, width, mostArgumentRows + 1 - rows.length);
		rows.push(...wrapped.rows);
		if (!wrapped.isWhole || text.length > longestValue) {
			return {rows, flags: flagsOf(value), isWhole: false};
		}
	}

	return {rows, flags: flagsOf(value), isWhole: true};
}

/** JSON cut behind each escaped line break, so that a file reads as lines; nothing is added or left out. A backslash takes the character behind it along. */
const afterLineBreaks = (json: string): readonly string[] =>
	json.replaceAll(/\\[^]/g, escape => (escape === '\\n' ? '\\n\n' : escape)).split(/\n(?=.)/);

const mostLooked = 100_000;

/** Hostile characters in the texts of a value; JSON writes line breaks and tabs as two characters, so they are no surprise. */
function flagsOf(value: JsonValue): number {
	let flags = 0;
	JSON.stringify(value, (key: string, part: unknown) => {
		const looked = typeof part === 'string' ? part.replaceAll(/[\n\r\t]/g, ' ') : '';
		flags += cell(looked, mostLooked).flags + cell(key).flags;
		return part;
	});
	return flags;
}

const longestBefore = 120;

const oneLine = (value: JsonValue): Safe => cell(JSON.stringify(value), longestBefore).text;

const isSame = (one: JsonValue | undefined, other: JsonValue): boolean =>
	JSON.stringify(one) === JSON.stringify(other);
