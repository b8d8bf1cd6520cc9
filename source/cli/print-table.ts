import {cell} from '../core/untrusted.ts';
import type {Context} from './context.ts';
import {tell} from './print.ts';

export type Table = {
	readonly header: readonly string[];
	readonly rows: ReadonlyArray<readonly string[]>;
	/** Said on stderr when there are no rows. */
	readonly empty: string;
	/** Names of the columns that are cut last: what is typed again stands there. */
	readonly whole?: readonly string[];
};

const gap = 2;

/** A column is not cut below this for the sake of the others. */
const leastWidth = 6;

const longestCell = 200;

/**
 * Prints rows under a header in aligned columns. On a terminal no line is longer than its width: the widest columns are cut first, with `…`. In a pipe
 * every value is whole.
 */
export async function printTable(
	context: Pick<Context, 'stdout' | 'stderr'>,
	{header, rows, empty, whole = []}: Table,
): Promise<void> {
	if (rows.length === 0) {
		tell(context, empty);
		return;
	}

	// Loading it takes 30 ms, which no other command should wait for.
	const {clip, fit, widthOf} = await import('../tui/text/fit.ts');
	const {stdout} = context;
	const room = stdout.isTTY && stdout.columns > 0 ? stdout.columns : Infinity;
	const table = [header, ...rows].map(row => row.map(text => cell(text, longestCell).text));
	const natural = header.map((_, column) =>
		Math.max(...table.map(row => widthOf(row[column] ?? ''))),
	);
	const widths = shrunk(natural, {
		room: room - gap * (header.length - 1),
		isWhole: header.map(name => whole.includes(name)),
	});
	for (const row of table) {
		const line = row.map((text, column) => fit(text, widths[column] ?? 0)).join(' '.repeat(gap));
		stdout.write(`${clip(cell(line.trimEnd(), Infinity).text, room)}\n`);
	}
}

/** Widths that fit `room` together, as far as the least width allows; a column that is whole is cut after all others. */
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
					(takesWhole || !isWhole[column]) && width > (widths[found] ?? leastWidth)
						? column
						: found,
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
