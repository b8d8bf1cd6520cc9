/** Any value that JSON can hold. Payloads are strangers' data: look members up with `Object.hasOwn` only. */
export type JsonValue =
	| null
	| boolean
	| number
	| string
	| readonly JsonValue[]
	| {readonly [key: string]: JsonValue};

export type JsonObject = {readonly [key: string]: JsonValue};

/** Whether `value` is a JSON object: not null, not a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a text is as JSON; `undefined` when it is none. Nobody bounds its depth here: `isDeepJson` does. */
export function parsedJson(text: string): JsonValue | undefined {
	try {
		const value: JsonValue = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** What reads as JSON, `null` too, is that; all else is the text. */
export function jsonOrText(text: string): JsonValue {
	const value = parsedJson(text);
	return value === undefined ? text : value;
}
