import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {AsOf, Cells, Column, Noun, ValuePlace, Word} from '../../nouns/noun.ts';
import {fit, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {type Line, type Span} from '../lines/line.ts';
import {markSign} from '../lines/marks.ts';
import type {Tone} from '../theme/theme.ts';

/** A column with its current width in cells. */
type Placed<Item, More> = {readonly column: Column<Item, More>; readonly cells: number};

type RowLook = {readonly isSelected: boolean; readonly isMarked?: boolean};

/** The columns of a noun at one list width. */
type Table<Item, More> = {
	/** Equal for tables with the same layout. */
	readonly key: string;
	readonly header: Safe;
	/** An item as one row; `>` in the first cell marks the selected one in every theme. */
	row(item: Item, known: AsOf & More, look: RowLook): Line;
};

type Shape<Item, More> = Pick<Noun<Item, More>, 'columns' | 'sign'>;

/** The visible items, for columns sized by their content. */
type Shown<Item, More> = {readonly items: readonly Item[]; readonly known: AsOf & More};

/** Lays out a noun for a list of `width` cells. Columns that do not fit are only in the detail. */
export function nounTable<Item, More>(
	{columns, sign}: Shape<Item, More>,
	width: number,
	shown?: Shown<Item, More>,
): Table<Item, More> {
	const signCells = sign ? 3 : 2;
	const placed = placeColumns(columns, {width, signCells, shown});
	const keys = new Set(placed.map(({column}) => column.key));
	const shows = (key: string) => keys.has(key);
	const header = placed.reduce(
		(text, {column, cells}, index) =>
			safe`${text}${cellOf(labelOf(column, cells, shown), {column, cells, isLast: index === placed.length - 1})}`,
		escapeLine(' '.repeat(signCells)),
	);
	return {
		key: `${placed.map(({cells}) => cells).join(' ')} ${header}`,
		header,
		row(item, known, {isSelected, isMarked = false}) {
			const cells = cellsOf(placed, item, {known, shows});
			return [
				{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
				...(sign
					? ([
							{text: escapeLine(sign(item, known)), tone: 'warn'},
							{text: markSign(isMarked), tone: 'accent'},
						] as const)
					: [{text: literal(' ')}]),
				...cells.flatMap((one, index): readonly Span[] => {
					const {column, text} = one;
					const isLast = index === cells.length - 1;
					const place = {room: one.cells, shows};
					const words = column.words?.(item, known, place);
					if (words) {
						return wordSpans(words, isLast ? 0 : one.cells);
					}

					const share = column.meter?.(item, known);
					const tone =
						share === undefined
							? (column.tone?.(item, known, place) ?? (column.isMain ? 'plain' : 'quiet'))
							: meterTone(share);
					return [
						{
							text: cellOf(share === undefined ? text : meterText(share, one.cells), {
								...one,
								isLast,
							}),
							tone: column.isMain && isSelected ? 'selected' : tone,
						},
					];
				}),
			];
		},
	};
}

const labelOf = <Item, More>(
	{key, label = key}: Column<Item, More>,
	room: number,
	shown: Shown<Item, More> | undefined,
): Safe => escapeLine(typeof label === 'string' ? label : label(shown?.items ?? [], room));

/** Words side by side, padded to the next column. */
function wordSpans(words: readonly Word[], cells: number): readonly Span[] {
	const spans = words.map(({text, tone = 'plain'}) => ({text: escapeLine(text), tone}));
	const used = spans.reduce((sum, {text}) => sum + widthOf(text), 0);
	return cells === 0
		? spans
		: [...spans, {text: escapeLine(' '.repeat(Math.max(0, cells - used) + 1))}];
}

/** Escapes a column's value; most are already safe. */
const valueOf = <Item, More>(
	{value}: Column<Item, More>,
	item: Item,
	{known, place}: {readonly known: AsOf & More; readonly place: ValuePlace},
): Safe => escapeLine(value(item, known, place));

/** The columns of one row with their cells and texts; a long value may take cells of its neighbours. */
function cellsOf<Item, More>(
	placed: ReadonlyArray<Placed<Item, More>>,
	item: Item,
	{known, shows}: {readonly known: AsOf & More; readonly shows: ValuePlace['shows']},
): ReadonlyArray<Placed<Item, More> & {readonly text: Safe}> {
	const cellOfRow = (column: Column<Item, More>, cells: number) => ({
		column,
		cells,
		text: valueOf(column, item, {known, place: {room: cells, shows}}),
	});
	const row = placed.map(({column, cells}) => cellOfRow(column, cells));
	for (const [index, {column, cells}] of row.entries()) {
		const {takes} = column;
		if (!takes) {
			continue;
		}

		const [before, next] = [row[index - 1], row[index + 1]];
		const count = takes.after?.(item) ?? (next?.text === '' ? 1 : 0);
		const others = row.slice(index + 1, index + 1 + count);
		const own = others.reduce((sum, other) => sum + other.cells + 1, cells);
		const lendable = before ? Math.max(0, before.cells - keptBy(before, takes.before)) : 0;
		const whole = cellOfRow(column, own + lendable);
		const taken = Math.min(Math.max(0, widthOf(whole.text) - own), lendable);
		if (before && taken > 0) {
			row[index - 1] = cellOfRow(before.column, before.cells - taken);
		}

		row.splice(index, 1 + others.length, {...whole, cells: own + taken});
	}

	return row;
}

const keptBy = (
	{text, cells}: {readonly text: Safe; readonly cells: number},
	kept: number | 'blanks' = cells,
): number => (kept === 'blanks' ? widthOf(text) : kept);

type CellPlace = {
	readonly column: Pick<Column<never>, 'align'>;
	readonly cells: number;
	readonly isLast: boolean;
};

/** A cell and the blank after it. A last cell without alignment is not padded. */
function cellOf(text: Safe, {column: {align}, cells, isLast}: CellPlace): Safe {
	if (isLast && align === undefined) {
		return text;
	}

	const fitted = fit(text, cells, {...(align && {align})});
	return isLast ? fitted : safe`${fitted} `;
}

const isThere = (cells: number | undefined): boolean => cells !== 0;

type TableRoom<Item, More> = {
	readonly width: number;
	readonly signCells: number;
	readonly shown: Shown<Item, More> | undefined;
};

/** Which columns fit into a list, and their widths. */
function placeColumns<Item, More>(
	columns: ReadonlyArray<Column<Item, More>>,
	{width, signCells, shown}: TableRoom<Item, More>,
): ReadonlyArray<Placed<Item, More>> {
	const least = columns.map(column => ({column, cells: fixedCells(column, {width, shown})}));
	const room = (all: typeof least) =>
		width -
		signCells +
		1 -
		all.reduce((sum, {cells}) => sum + (isThere(cells) ? (cells ?? 0) + 1 : 0), 0);
	// An optional column is kept only if the others still have enough room.
	const wanted = least.map(({column, cells}) => {
		const given = column.cells;
		const isKept =
			typeof given === 'object' &&
			'keeps' in given &&
			room(least) - (given.cells + 1) >= given.keeps;
		return {column, cells: isKept ? given.cells : cells};
	});
	const whole = room(wanted);
	let left = whole;
	return wanted.flatMap(({column, cells}) => {
		if (cells !== undefined) {
			return isThere(cells) ? [{column, cells}] : [];
		}

		const {share, least: lower = 1, most = Infinity} = sharing(column.cells);
		const given = Math.max(
			lower,
			Math.min(most, share === undefined ? left : Math.floor(whole * share)),
		);
		left -= given;
		return [{column, cells: given}];
	});
}

/** `undefined` if the width depends on the remaining room; 0 if the column is hidden. */
function fixedCells<Item, More>(
	column: Column<Item, More>,
	{width, shown}: {readonly width: number; readonly shown: Shown<Item, More> | undefined},
): number | undefined {
	const {cells} = column;
	if (typeof cells === 'function') {
		return cells(width);
	}

	if (typeof cells === 'number') {
		return cells;
	}

	if ('keeps' in cells) {
		return 0;
	}

	if (!('usual' in cells)) {
		return width < (cells.from ?? 0) ? 0 : undefined;
	}

	const {usual, below, least, most} = cells;
	if (width >= below || !shown) {
		return usual;
	}

	const place = {room: most, shows: () => false};
	return shown.items.reduce(
		(wide, item) =>
			Math.min(most, Math.max(wide, widthOf(valueOf(column, item, {known: shown.known, place})))),
		least,
	);
}

const sharing = (cells: Cells) =>
	typeof cells === 'object' && !('usual' in cells) && !('keeps' in cells) ? cells : {};

/** `███░░░░░  40%` in `cells` cells. */
export function meterText(share: number, cells: number): Safe {
	const words = `${Math.min(999, Math.floor(share * 100))}%`.padStart(5);
	const room = Math.max(1, cells - words.length);
	// Any use is visible, and only 100 % looks full.
	const filled = share >= 1 ? room : Math.min(room - 1, Math.ceil(share * room));
	return escapeLine('█'.repeat(filled) + '░'.repeat(room - filled) + words);
}

export const meterTone = (share: number): Tone =>
	share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent';
