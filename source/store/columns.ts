import type {SQLInputValue, SQLOutputValue} from 'node:sqlite';

/** A row as returned by SQLite. */
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

/** A text column that this store wrote from a union of words, `Value`. */
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

/** Parses a JSON column that a newer program, or a person, may have written: `undefined` when it is not JSON. The value's shape is not checked. */
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

/** Two queries of a table whose rows are ordered by number. */
export type Scan<Found> = {
	/** The lowest number of the next stretch of `length` rows below `top`; `undefined` when there are no rows. */
	floorOf(top: number, length: number): Later<number | undefined>;
	/** Up to `count` matches from `floor` up to, but not including, `top`, newest first. */
	find(stretch: {
		readonly floor: number;
		readonly top: number;
		readonly count: number;
	}): Later<readonly Found[]>;
};

type Later<Value> = Value | Promise<Value>;

/**
 * Up to `limit` matches, newest first. Reads the table in stretches, yielding to the event loop in between: finding rare matches takes long, but an index would cost time
 * at every accepted event.
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
		/** Number of rows of the first stretch, and maximum for any: each stretch has four times as many as the one before. */
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
