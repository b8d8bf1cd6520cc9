/**
 * The one way to write a JSON value down: keys sorted by UTF-16 units, no blanks, numbers and texts as `JSON.stringify` writes them; members that
 * are `undefined` are left out. Throws a RangeError for what is nested too deep for the stack.
 *
 * @see RFC 8785
 */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) {
		return `[${value.map(item => canonicalJson(item ?? null)).join(',')}]`;
	}

	if (typeof value !== 'object' || value === null) {
		return JSON.stringify(value) ?? 'null';
	}

	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
	return `{${members.join(',')}}`;
}

/** Whether two values are the same JSON, whatever the order of their keys. */
export const isSameJson = (a: unknown, b: unknown): boolean =>
	canonicalJson(a) === canonicalJson(b);
