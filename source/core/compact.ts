/** The values that are there: `condition && value` stands for one that may be left out. */
export const compact = <Value>(
	values: ReadonlyArray<Value | false | null | undefined>,
): readonly Value[] =>
	values.filter(
		(value): value is Value => value !== false && value !== null && value !== undefined,
	);
