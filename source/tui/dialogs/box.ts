import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {shownLine, type LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Area, BoxContent, DialogOf} from '../acts/dialog.ts';
import {blankLine, fillLine, line, wrapText, type Line, type Span} from '../lines/line.ts';
import {ruleLine} from '../lines/title-parts.ts';

/** Position and size of a dialog on the screen, border included. */
type BoxPlace = {
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
};

const border = 2;
const smallestInside = 34;

/** Cells left and right of a dialog, by the minimum columns for them. */
const margins = [
	{from: 100, cells: 4},
	{from: 80, cells: 1},
] as const;

/** The largest contents of a dialog inside its border. */
export function roomIn({width, height}: Area): Area {
	const {cells = 0} = margins.find(({from}) => width >= from) ?? {};
	return {width: Math.max(0, width - 2 * cells - border), height: Math.max(0, height - border)};
}

/** Centres a dialog with these contents, clamped to the area. */
export function placeBox(area: Area, contents: Area): BoxPlace {
	const room = roomIn(area);
	const width = border + Math.min(room.width, Math.max(smallestInside, contents.width));
	const height = Math.min(area.height, border + Math.min(room.height, contents.height));
	return {
		left: Math.max(0, Math.floor((area.width - width) / 2)),
		top: Math.max(0, Math.floor((area.height - height) / 2)),
		width,
		height,
	};
}

/** A dialog with its border: `height` rows of exactly `width` cells each, so that nothing below it shows through. */
export function boxLines(
	{title, rows}: {readonly title: readonly Line[]; readonly rows: readonly Line[]},
	{width, height}: Area,
): readonly Line[] {
	const inside = width - border;
	return [
		[corner('┌'), ...fillLine(ruleLine(title, inside), inside).map(framed), corner('┐')],
		...Array.from({length: height - border}, (_, index): Line => [
			corner('│'),
			...fillLine(rows[index] ?? [], inside),
			corner('│'),
		]),
		[{text: safe`└${escapeLine('─'.repeat(inside))}┘`, tone: 'title'}],
	];
}

const corner = (sign: string) => ({text: escapeLine(sign), tone: 'title'}) as const;

/** Gives the border one colour, also between the parts of a title. */
const framed = (span: Span): Span => (/^[─ ]+$/.test(span.text) ? {...span, tone: 'title'} : span);

const isBlank = (row: Line): boolean => row.every(({text}) => text.trim() === '');

/**
 * Fits `rows` into a smaller height: drops blank ones first, then those farthest from `shown`, the row to keep visible. Absent `shown`: the last row stays, which
 * names the keys.
 */
export function fitRows(rows: readonly Line[], height: number, shown?: number): readonly Line[] {
	const wanted = shown === undefined ? undefined : rows[shown];
	const kept = [...rows];
	for (let at = kept.length - 1; at >= 0 && kept.length > height; at -= 1) {
		if (isBlank(kept[at] ?? [])) {
			kept.splice(at, 1);
		}
	}

	if (kept.length <= height) {
		return kept;
	}

	if (wanted) {
		const top = Math.max(0, kept.indexOf(wanted) - height + 1);
		return kept.slice(top, top + height);
	}

	return height < 2
		? kept.slice(-height)
		: [...kept.slice(0, height - 2), line(literal('  …'), 'quiet'), ...kept.slice(-1)];
}

/** The longest line of prose, even on wide screens. */
export const widestText = 76;

export const titled = (text: Safe): readonly Line[] => [[{text, tone: 'title'}]];

/** Rows of prose below a title, at most `widest` cells wide. */
export function boxOf(
	room: Area,
	{title, widest = widestText}: {readonly title: Safe; readonly widest?: number},
	rows: (width: number) => readonly Line[],
): Required<Pick<BoxContent, 'rows' | 'title' | 'width'>> {
	const width = Math.min(room.width, widest);
	return {title: titled(title), width, rows: rows(width)};
}

/** A key with its label. */
export const keyHint = (name: Safe, does: Safe): Line => [
	{text: name, tone: 'accent'},
	{text: safe` ${does}`},
];

/** A text being asked for, and why the last entry was refused. */
export type AskedLine = {readonly text: LineText; readonly problem?: Safe | undefined};

/** A dialog that asks for a line of text below `lines`. Typing clears the problem. */
export const lineDialog = <State extends AskedLine>(
	title: (state: State) => readonly Line[],
	lines: (state: State, width: number) => readonly Line[],
): Required<Pick<DialogOf<State>, 'contents' | 'line'>> => ({
	contents(state, _shell, room) {
		const width = Math.min(room.width, widestText);
		const {text, problem = ''} = state;
		const asked = lines(state, width);
		return {
			title: title(state),
			width,
			rows: [
				blankLine,
				...asked,
				[{text: literal('  > '), tone: 'accent'}, {text: shownLine(text, {width: width - 6})}],
				...(problem === ''
					? []
					: wrapText(problem, width - 6).map(row => line(safe`    ${row}`, 'bad'))),
			],
			shown: asked.length + 1,
		};
	},
	line: {get: ({text}) => text, set: (state, text) => ({...state, text, problem: undefined})},
});
