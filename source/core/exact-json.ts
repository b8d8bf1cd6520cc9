/** What the language has and its types do not know yet. */
type ExactJson = {
	parse(
		text: string,
		reviver: (key: string, value: unknown, context: {readonly source?: string}) => unknown,
	): unknown;
	rawJSON(text: string): unknown;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const json = JSON as unknown as ExactJson;

/**
 * The value of a JSON text that `JSON.stringify` writes down with every number as it was: `12345678901234567890`, `1.10`. Such numbers are opaque objects
 * in it. Throws as `JSON.parse` does.
 */
export const parseExactly = (text: string): unknown =>
	json.parse(text, (_, value, {source}) =>
		typeof value === 'number' && source !== undefined && String(value) !== source
			? json.rawJSON(source)
			: value,
	);

/** A JSON text indented by two, its numbers as they were; `undefined` for what is no JSON, or nested too deep to be written. */
export function prettyJson(text: string): string | undefined {
	try {
		return JSON.stringify(parseExactly(text), null, 2);
	} catch {
		return undefined;
	}
}
