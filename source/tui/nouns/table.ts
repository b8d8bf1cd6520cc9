import type {Safe} from '../../core/untrusted.ts';
import type {AsOf, Cells, Column, Noun} from '../../nouns/noun.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean, type Line, type Span} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

/** A column with the cells that it has on the screen now. */
type Placed<Item, More> = {
	readonly column: Column<Item, More>;
	readonly cells: number;
};

/** The columns of a noun in a list of some width. */
export type Table<Item, More = unknown> = {
	readonly header: Safe;
	/** One item as one row; `>` in the first cell marks the selected one in every theme. */
	row(item: Item, known: AsOf & More, isSelected: boolean): Line;
};

const signCells = 2;

/** How a list of `width` cells shows a noun: what has no room stands in the detail. */
export function nounTable<Item, More>(
	{columns}: Pick<Noun<Item, More>, 'columns'>,
	width: number,
): Table<Item, More> {
	const placed = placeColumns(columns, width);
	return {
		header: placed.reduce(
			(text, {column, cells}, index) =>
				safe`${text}${cellOf(clean(column.label ?? column.key), {column, cells}, isLast(placed, index))}`,
			literal('  '),
		),
		row: (item, known, isSelected) => [
			{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
			...placed.map((place, index): Span => {
				const {column, cells} = place;
				const share = column.meter?.(item, known);
				const text =
					share === undefined ? clean(column.value(item, known, cells)) : meterText(share, cells);
				return {
					text: cellOf(text, place, isLast(placed, index)),
					tone:
						column.isMain && isSelected
							? 'selected'
							: share === undefined
								? (column.tone?.(item, known) ?? (column.isMain ? 'plain' : 'quiet'))
								: meterTone(share),
				};
			}),
		],
	};
}

const isLast = (placed: readonly unknown[], index: number): boolean => index === placed.length - 1;

/** A cell and the blank behind it; the last one is as long as its text. */
function cellOf(
	text: Safe,
	{column: {align}, cells}: {readonly column: Pick<Column<never>, 'align'>; readonly cells: number},
	isAtEnd: boolean,
): Safe {
	return isAtEnd && align === undefined
		? text
		: safe`${fit(text, cells, {...(align && {align})})} `;
}

function placeColumns<Item, More>(
	columns: ReadonlyArray<Column<Item, More>>,
	width: number,
): ReadonlyArray<Placed<Item, More>> {
	const shown = columns.flatMap(column => {
		const cells = fixedCells(column.cells, width);
		return cells === 0 ? [] : [{column, cells}];
	});
	const taken = shown.reduce((sum, {cells}) => sum + (cells ?? 0) + 1, signCells - 1);
	const room = width - taken;
	let left = room;
	return shown.map(({column, cells}) => {
		if (cells !== undefined) {
			return {column, cells};
		}

		const {share, least = 1, most = Infinity} = flexible(column.cells);
		const given = Math.max(
			least,
			Math.min(most, share === undefined ? left : Math.floor(room * share)),
		);
		left -= given;
		return {column, cells: given};
	});
}

/** `undefined` where it depends on what is left; 0 where it is not shown. */
function fixedCells(cells: Cells, width: number): number | undefined {
	if (typeof cells === 'function') {
		return cells(width);
	}

	return typeof cells === 'number' ? cells : undefined;
}

const flexible = (cells: Cells): Exclude<Cells, number | ((width: number) => number)> =>
	typeof cells === 'object' ? cells : {};

/** `███░░░░░  40%` in `cells` cells. */
export function meterText(share: number, cells: number): Safe {
	const words = `${Math.min(999, Math.floor(share * 100))}%`.padStart(5);
	const room = Math.max(1, cells - words.length);
	// What is used at all is seen, and full is full.
	const filled = share >= 1 ? room : Math.min(room - 1, Math.ceil(share * room));
	return clean('█'.repeat(filled) + '░'.repeat(room - filled) + words);
}

export const meterTone = (share: number): Tone =>
	share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent';
