import {escapeLine} from '../../core/untrusted.ts';
import type {Context} from './context.ts';
import {printLines, tell} from './print.ts';

export type PrintedTable = {
	readonly header: readonly string[];
	readonly rows: ReadonlyArray<readonly string[]>;
	/** Printed on stderr if there are no rows. */
	readonly empty: string;
	/** Columns that are cut last, because their values are typed again. */
	readonly whole?: readonly string[];
	/** Text below each row, indented, with its own line breaks; absent entries print nothing. */
	readonly below?: ReadonlyArray<string | undefined>;
	/** Columns that a narrow terminal hides, the first one first. */
	readonly optional?: readonly string[];
};

const gap = 2;

/** No column is cut below this in favour of others. */
const minWidth = 6;

/** The width at which a column is still useful; optional columns are hidden to reach it. */
const usefulWidth = 16;

/** On a terminal cells are cut to this length; in a pipe a longer cell is whole, but only shifts its own row. */
const maxCellLength = 200;

/**
 * Prints rows in aligned columns below a header. On a terminal no line exceeds its width: optional columns are hidden, then the widest ones cut with `…`. In a
 * pipe, and at the prompt of `svc --linear`, values are whole; at the prompt each row is a line of names and values of at most 200 characters.
 */
export async function printTable(
	context: Pick<Context, 'appendsOnly' | 'stdout' | 'stderr'>,
	{header, rows, empty, below = [], whole = [], optional = []}: PrintedTable,
): Promise<void> {
	if (rows.length === 0) {
		tell(context, empty);
		return;
	}

	if (context.appendsOnly === true) {
		printLines(
			context,
			rows.flatMap((row, index) => rowInWords(header, row, below[index])),
		);
		return;
	}

	// Loaded here, because it takes 30 ms that no other command should wait for.
	const {clip, fit, widthOf} = await import('../../terminal/text/fit.ts');
	const {hardWrap} = await import('../../terminal/text/wrap-words.ts');
	const {stdout} = context;
	const room = stdout.isTTY && stdout.columns > 0 ? stdout.columns : Infinity;
	const maxLength = stdout.isTTY ? maxCellLength : Infinity;
	const lines = [header, ...rows].map(row => row.map(text => escapeLine(text, maxLength)));
	const all = header.map((name, column) => ({
		name,
		column,
		natural: Math.min(maxCellLength, Math.max(...lines.map(row => widthOf(row[column] ?? '')))),
	}));
	const columns = withoutOptional(all, {room, whole, optional});
	const widths = shrunk(
		columns.map(({natural}) => natural),
		{
			room: room - gap * (columns.length - 1),
			isWhole: columns.map(({name}) => whole.includes(name)),
		},
	);
	for (const [number, row] of lines.entries()) {
		const texts = columns.map(({column}, index) => {
			const text = row[column];
			const width = widths[index] ?? 0;
			if (text === undefined) {
				return '';
			}

			return room === Infinity && widthOf(text) > width ? text : fit(text, width);
		});
		const line = texts.join(' '.repeat(gap)).trimEnd();
		stdout.write(`${clip(escapeLine(line, Infinity), room)}\n`);
		// The first line is the header.
		const under = below[number - 1];
		if (under !== undefined && under !== '') {
			const {rows: wrapped} = hardWrap(
				escapeLine(under, maxBelowLength),
				room - indent.length,
				maxBelow,
			);
			stdout.write(wrapped.map(text => `${indent}${text}\n`).join(''));
		}
	}
}

/** `id 7, state done, subject Fix it`: without empty values, those that are typed again first if the table has them first. */
const rowInWords = (
	header: readonly string[],
	row: readonly string[],
	below: string | undefined,
): readonly string[] => [
	header
		.flatMap((name, column) => {
			const text = escapeLine(row[column] ?? '', maxCellLength);
			return text === '' || text === '-' ? [] : [`${name.toLowerCase()} ${text}`];
		})
		.join(', '),
	...(below === undefined || below === '' ? [] : [`${indent}${escapeLine(below, maxBelowLength)}`]),
];

const indent = '    ';

const maxBelowLength = 2000;

const maxBelow = 100;

type Column = {readonly name: string; readonly column: number; readonly natural: number};

type Room = {
	readonly room: number;
	readonly whole: readonly string[];
	readonly optional: readonly string[];
};

/** The columns to show, so that each gets a useful width, or its full one. */
function withoutOptional(
	columns: readonly Column[],
	{room, whole, optional}: Room,
): readonly Column[] {
	const needed = columns.reduce(
		(sum, {name, natural}) =>
			sum + gap + (whole.includes(name) ? natural : Math.min(natural, usefulWidth)),
		-gap,
	);
	const [first, ...others] = optional;
	return needed <= room || first === undefined
		? columns
		: withoutOptional(
				columns.filter(({name}) => name !== first),
				{room, whole, optional: others},
			);
}

/** Shrinks widths to fit into `room`, down to the minimum; columns marked whole are cut last. */
function shrunk(
	natural: readonly number[],
	{room, isWhole}: {readonly room: number; readonly isWhole: readonly boolean[]},
): readonly number[] {
	const widths = [...natural];
	const total = () => widths.reduce((sum, width) => sum + width, 0);
	for (const takesWhole of [false, true]) {
		for (let excess = total() - room; excess > 0; excess = total() - room) {
			const widest = widths.reduce(
				(found, width, column) =>
					(takesWhole || !isWhole[column]) && width > (widths[found] ?? minWidth) ? column : found,
				-1,
			);
			if (widest === -1) {
				break;
			}

			widths[widest] = (widths[widest] ?? 0) - 1;
		}
	}

	return widths;
}
