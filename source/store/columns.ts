import type {SQLInputValue, SQLOutputValue} from 'node:sqlite';

/** A row as SQLite hands it out. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The parameters of one prepared statement, in order. */
export type Bindings = readonly SQLInputValue[];

/** A number column; 0 when it is null. Integers of this store stay below 2^53. */
export const integerOf = (value: SQLOutputValue | undefined): number => Number(value ?? 0);

/** A number column that may be null. */
export const nullableInteger = (value: SQLOutputValue | undefined): number | null =>
	value === null || value === undefined ? null : integerOf(value);

/** A text column that may be null. */
export const nullableText = (value: SQLOutputValue | undefined): string | null =>
	typeof value === 'string' ? value : null;

/** A text column; empty when it is null. */
export const textOf = (value: SQLOutputValue | undefined): string =>
	typeof value === 'string' ? value : '';

/** A column that was written from a `Value` by this store: one word of a union. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that the column was written from
export function wordOf<Value extends string>(value: SQLOutputValue | undefined): Value {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this store writes the column, from a value of this type
	return textOf(value) as Value;
}

/** A JSON column that was written from a `Value` by this store. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that the column was written from
export function jsonOf<Value>(value: SQLOutputValue | undefined): Value {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this store writes the column, from a value of this type
	return JSON.parse(textOf(value)) as Value;
}

/** The same of a row that a newer program, or a person, may have written: `undefined` where it is no JSON. What it holds is not looked at. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
export function readJson<Value>(value: SQLOutputValue | undefined): Value | undefined {
	try {
		return jsonOf<Value>(value);
	} catch {
		return undefined;
	}
}

/** `{[name]: value}`, or nothing when the column is null: for optional properties. */
export const optional = <Name extends string, Value>(
	name: Name,
	value: Value | null | undefined,
): {readonly [key in Name]?: Value} => {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key widens to string; the object has exactly this one
	return (value === null || value === undefined ? {} : {[name]: value}) as {
		readonly [key in Name]?: Value;
	};
};

/** The column `floor` of a row; `undefined` when it is null. */
export const floorOfRow = (row: Row | undefined): number | undefined =>
	row?.['floor'] === null || row === undefined ? undefined : integerOf(row['floor']);

const turn = async (): Promise<void> => {
	await new Promise<void>(resolve => setImmediate(resolve));
};

/** Two questions to a table whose rows lie in order of their number. */
export type Scan<Found> = {
	/** The lowest number of the next stretch below `top`, of `length` rows; `undefined` when there is none. */
	floorOf(top: number, length: number): Later<number | undefined>;
	/** What matches from `floor` on and below `top`, newest first, at most `count`. */
	find(stretch: {
		readonly floor: number;
		readonly top: number;
		readonly count: number;
	}): Later<readonly Found[]>;
};

type Later<Value> = Value | Promise<Value>;

/**
 * Up to `limit` matches, newest first. A rare match needs a long look: the table is read in stretches, with a turn of the event loop
 * between them, instead of paying for an index at every accept.
 */
export async function newestFirst<Found>(
	scan: Scan<Found>,
	{
		before,
		limit,
		rows: {first, most},
	}: {
		readonly before: number;
		readonly limit: number;
		/** Rows of the first stretch, and of any: each has four times as many as the one before. */
		readonly rows: {readonly first: number; readonly most: number};
	},
): Promise<readonly Found[]> {
	const found: Found[] = [];
	// oxlint-disable no-await-in-loop -- each begins where the one before ended
	for (let [top, length] = [before, first]; ;) {
		const floor = await scan.floorOf(top, length);
		if (floor === undefined) {
			return found;
		}

		found.push(...(await scan.find({floor, top, count: limit - found.length})));
		if (found.length >= limit) {
			return found;
		}

		top = floor;
		length = Math.min(most, length * 4);
		await turn();
	}
	// oxlint-enable no-await-in-loop
}

/** `limit` as an integer from 1 to `most`. */
export const pageOf = (limit: number, most = 1000): number =>
	Math.min(Math.max(Math.trunc(limit) || 1, 1), most);
