import {expect} from 'vitest';

/** One row below the heading of a list. */
export type TableRow = {
	/** What stands before the first column, without blanks: the cursor and signs. */
	readonly sign: string;
	/** It begins further right than the first column: a line that belongs to the row above. */
	readonly isUnder: boolean;
	/** The whole row: what a line between the rows says. */
	readonly text: string;
	/** By the heading of the column. */
	readonly cells: Readonly<Record<string, string>>;
};

/**
 * Reads the list on a screen as a person does: by the headings of its columns, wherever they stand, down to the first empty row. A test then says what a cell holds, and
 * breaks neither with a width nor with a column that somebody adds.
 *
 * @param headings - in the order of the screen, all of the list's or some
 */
export function readTable(
	lines: readonly string[],
	headings: readonly string[],
): readonly TableRow[] {
	const at = lines.findIndex(line => startsOf(line, headings) !== undefined);
	const heading = lines[at] ?? '';
	const starts = startsOf(heading, headings);
	expect(starts, `no row has the headings ${headings.join(', ')}`).toBeDefined();
	// Those of others also end a cell.
	const all = [...heading.matchAll(/\S+(?: \S+)*/g)].map(({index}) => index);
	const edges = [...new Set([...all, ...(starts ?? [])])].toSorted((a, b) => a - b);

	const below = lines.slice(at + 1);
	const end = below.findIndex(line => line.trim() === '');
	return below.slice(0, end === -1 ? undefined : end).map(line => {
		const cut = edges.map(edge => cutOf(line, heading, edge));
		const cellAt = (start: number): string => {
			const index = edges.indexOf(start);
			return line.slice(cut[index], cut[index + 1]).trim();
		};

		return {
			sign: line.slice(0, cut[0]).trim(),
			isUnder: line.length - line.trimStart().length > (starts?.[0] ?? 0),
			text: line.trim(),
			cells: Object.fromEntries(
				headings.map((name, index) => [name, cellAt(starts?.[index] ?? 0)] as const),
			),
		};
	});
}

/** Where each of the headings begins; `undefined` where the line has not all of them. */
function startsOf(line: string, headings: readonly string[]): readonly number[] | undefined {
	const starts: number[] = [];
	let from = 0;
	for (const heading of headings) {
		const start = line.indexOf(heading, from);
		if (start === -1) {
			return undefined;
		}

		starts.push(start);
		from = start + heading.length;
	}

	return starts;
}

/** Where the cell below the heading at `edge` begins: a number that ends where its heading ends may begin before it. */
function cutOf(line: string, heading: string, edge: number): number {
	const headingEnd = edge + (/^\S+/.exec(heading.slice(edge))?.[0].length ?? 0);
	const [word = ''] = /\S*$/.exec(line.slice(0, edge)) ?? [];
	const [rest = ''] = /^\S*/.exec(line.slice(edge)) ?? [];
	return rest !== '' && edge + rest.length <= headingEnd ? edge - word.length : edge;
}
