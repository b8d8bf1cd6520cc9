import {createHash} from 'node:crypto';

/** Any value that JSON can hold. Payloads are untrusted: look members up with `Object.hasOwn` only. */
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

/** The value of a JSON text; `undefined` for invalid JSON. Does not bound the depth: see `isDeepJson`. */
export function parsedJson(text: string): JsonValue | undefined {
	try {
		const value: JsonValue = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

/** The object of a JSON text; `undefined` for anything else. */
export function parsedObject(text: string): JsonObject | undefined {
	const value = parsedJson(text);
	return isJsonObject(value) ? value : undefined;
}

/** The value of a JSON text, else the text itself. */
export function jsonOrText(text: string): JsonValue {
	const value = parsedJson(text);
	return value === undefined ? text : value;
}

/** The canonical JSON of a value: members sorted by the UTF-16 units of their names, no white space. @see RFC 8785 */
export function canonicalJson(value: JsonValue): string {
	if (isJsonObject(value)) {
		const members = Object.keys(value)
			.toSorted()
			.map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
		return `{${members.join(',')}}`;
	}

	// `isJsonObject` is false for lists and for simple values.
	return Array.isArray(value)
		? `[${value.map((item: JsonValue) => canonicalJson(item)).join(',')}]`
		: JSON.stringify(value);
}

/** Lower-case hex SHA-256 of the canonical JSON. */
export const jsonHash = (value: JsonValue): string =>
	createHash('sha256').update(canonicalJson(value)).digest('hex');

/** JavaScript functions that the types of TypeScript lack. */
type ExactJson = {
	parse(
		text: string,
		reviver: (key: string, value: unknown, context: {readonly source?: string}) => unknown,
	): unknown;
	rawJSON(text: string): unknown;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const exactJson = JSON as unknown as ExactJson;

/**
 * Parses JSON so that `JSON.stringify` writes every number as in the text: `12345678901234567890`, `1.10`. In the result such numbers
 * are opaque objects. Throws as `JSON.parse` does.
 */
export const parseExactly = (text: string): unknown =>
	exactJson.parse(text, (_, value, {source}) =>
		typeof value === 'number' && source !== undefined && String(value) !== source
			? exactJson.rawJSON(source)
			: value,
	);

/** Indents a JSON text by two, leaving its numbers unchanged; `undefined` for invalid JSON, and for JSON nested too deeply. */
export function prettyJson(text: string): string | undefined {
	try {
		return JSON.stringify(parseExactly(text), null, 2);
	} catch {
		return undefined;
	}
}

/** Deepest nesting that this program processes. `JSON.parse` accepts any depth, but recursive functions would exhaust the stack. */
export const maxJsonDepth = 128;

const levels: Readonly<Record<string, number>> = {'{': 1, '[': 1, '}': -1, ']': -1};

/**
 * Whether JSON `text` is nested more than 128 levels deep, so that a recursive walk of its value could exhaust the stack. One pass
 * without recursion. The result for invalid JSON is arbitrary.
 */
export const isDeepJson = (text: string): boolean =>
	opensMany(text) && exceeds(text, {tokens: /[[\]{}"]/g, weights: levels, most: maxJsonDepth});

/** Adds up the weights of `tokens` outside of strings; `true` as soon as the sum is above `most`. The expression `tokens` must match quotation marks, too. */
function exceeds(
	text: string,
	{
		tokens,
		weights,
		most,
	}: {
		readonly tokens: RegExp;
		readonly weights: Readonly<Record<string, number>>;
		readonly most: number;
	},
): boolean {
	let sum = 0;
	for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
		if (token[0] === '"') {
			tokens.lastIndex = endOfString(text, tokens.lastIndex);
		} else {
			sum += weights[token[0]] ?? 0;
		}

		if (sum > most) {
			return true;
		}
	}

	return false;
}

/** Whether the text has more than `maxJsonDepth` opening brackets, counting those in strings: a quick test before `exceeds`, at a twentieth of its cost. */
function opensMany(text: string): boolean {
	let count = 0;
	for (const bracket of '{[') {
		for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
			count += 1;
			if (count > maxJsonDepth) {
				return true;
			}
		}
	}

	return false;
}

/** Most members in all objects of one text. Each new name costs the parser microseconds: 10 MiB of them would block the event loop for seconds. */
export const maxJsonMembers = 100_000;

/** A member takes at least four characters: `"":0`. */
const fewestChars = maxJsonMembers * 4;

/** Whether all objects of JSON `text` together have more than `maxJsonMembers` members. The result for invalid JSON is arbitrary. */
export const isCrowdedJson = (text: string): boolean =>
	text.length >= fewestChars &&
	exceeds(text, {tokens: /[:"]/g, weights: {':': 1}, most: maxJsonMembers});

/** `isDeepJson` for a value. Does not recurse, and stops at the first part that is too deep. */
export function isDeepValue(value: JsonValue): boolean {
	const open: Array<{readonly value: JsonValue; readonly depth: number}> = [{value, depth: 0}];
	for (let next = open.pop(); next; next = open.pop()) {
		if (typeof next.value === 'object' && next.value !== null) {
			const depth = next.depth + 1;
			if (depth > maxJsonDepth) {
				return true;
			}

			for (const inner of Object.values<JsonValue>(next.value)) {
				open.push({value: inner, depth});
			}
		}
	}

	return false;
}

/** The index after the closing quotation mark of the string whose first character is at `from`. */
function endOfString(text: string, from: number): number {
	const marks = /["\\]/g;
	marks.lastIndex = from;
	for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
		if (mark[0] === '"') {
			return marks.lastIndex;
		}

		marks.lastIndex += 1;
	}

	return text.length;
}

/** Dangerous characters that JSON does not escape: DEL, C1 controls (NEL among them), format and separator characters, tags. */
const hazards = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * `value` as JSON on one line, also for readers that break lines at U+0085, U+2028 and U+2029. Escapes characters that a terminal might interpret or hide, too.
 * The result parses to the same value.
 */
export const jsonLine = (value: unknown): string => escapeHazards(JSON.stringify(value));

/** Escapes the same characters in an existing JSON text of any number of lines. */
export const escapeHazards = (json: string): string => json.replaceAll(hazards, escapedUnits);

/** Each UTF-16 unit of a text as JSON escapes it: `\u00e9`. */
export const escapedUnits = (text: string): string =>
	text.replaceAll(/[^]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
