/** The values without `false`, `null` and `undefined`: write `condition && value` for an optional one. */
export const compact = <Value>(
	values: ReadonlyArray<Value | false | null | undefined>,
): readonly Value[] =>
	values.filter(
		(value): value is Value => value !== false && value !== null && value !== undefined,
	);
