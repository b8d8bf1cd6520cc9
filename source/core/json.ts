import {createHash} from 'node:crypto';

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

/** The JSON object that a text is; `undefined` when it is none. */
export function parsedObject(text: string): JsonObject | undefined {
	const value = parsedJson(text);
	return isJsonObject(value) ? value : undefined;
}

/** What reads as JSON, `null` too, is that; all else is the text. */
export function jsonOrText(text: string): JsonValue {
	const value = parsedJson(text);
	return value === undefined ? text : value;
}

/** The one text that every JSON text of the same value becomes: members sorted by their names' UTF-16 units, no white space. @see RFC 8785 */
export function canonicalJson(value: JsonValue): string {
	if (isJsonObject(value)) {
		const members = Object.keys(value)
			.toSorted()
			.map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
		return `{${members.join(',')}}`;
	}

	// `isJsonObject` tells no list from a value that is none to the compiler.
	return Array.isArray(value)
		? `[${value.map((item: JsonValue) => canonicalJson(item)).join(',')}]`
		: JSON.stringify(value);
}

/** Lower-case hex SHA-256 of the canonical JSON. */
export const jsonHash = (value: JsonValue): string =>
	createHash('sha256').update(canonicalJson(value)).digest('hex');

/** What the language has and its types do not know yet. */
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
 * The value of a JSON text that `JSON.stringify` writes down with every number as it was: `12345678901234567890`, `1.10`. Such numbers are opaque objects
 * in it. Throws as `JSON.parse` does.
 */
export const parseExactly = (text: string): unknown =>
	exactJson.parse(text, (_, value, {source}) =>
		typeof value === 'number' && source !== undefined && String(value) !== source
			? exactJson.rawJSON(source)
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

/** Levels of nesting that are walked, compared or written out. `JSON.parse` takes any number of them, most of what follows does not. */
export const maxJsonDepth = 128;

const levels: Readonly<Record<string, number>> = {'{': 1, '[': 1, '}': -1, ']': -1};

/**
 * Whether JSON `text` is nested more than 128 levels deep, so that what is made of it could exhaust the stack of whoever walks it. One pass
 * without recursion; what is no JSON gets some answer.
 */
export const isDeepJson = (text: string): boolean =>
	opensMany(text) && exceeds(text, {tokens: /[[\]{}"]/g, weights: levels, most: maxJsonDepth});

/** Whether the weights of the `tokens` outside of strings ever come to more than `most`; `tokens` finds quotation marks, too. */
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

/** Whether there are more brackets than may be open at once, those within strings counted as well: a search costs a twentieth of the walk. */
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

/** Members of all objects of one text that are read. Each name that is new costs the parser microseconds: 10 MiB of them hold up everybody for seconds. */
export const maxJsonMembers = 100_000;

/** The shortest member is `"":0,`. */
const fewestChars = maxJsonMembers * 4;

/** Whether JSON `text` has more members than that, in whatever objects. What is no JSON gets some answer. */
export const isCrowdedJson = (text: string): boolean =>
	text.length >= fewestChars &&
	exceeds(text, {tokens: /[:"]/g, weights: {':': 1}, most: maxJsonMembers});

/** The same as `isDeepJson`, of a value. Does not recurse, and ends with the first part that is too deep. */
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

/** The index behind the quotation mark that ends the string of which `from` is the first character. */
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

/** Beyond what JSON escapes by itself: DEL, C1 controls (NEL among them), format and separator characters, tags. */
const hazards = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * `value` as JSON on one line, whoever cuts the lines: some readers break them at U+0085, U+2028 and U+2029 too. What a terminal might obey or hide is escaped as well.
 * The value is the same for who parses it.
 */
export const jsonLine = (value: unknown): string => escapeHazards(JSON.stringify(value));

/** The same for JSON that is written down already, on one line or on several. */
export const escapeHazards = (json: string): string => json.replaceAll(hazards, escapedUnits);

/** Each UTF-16 unit of a text as JSON escapes it: `\u00e9`. */
export const escapedUnits = (text: string): string =>
	text.replaceAll(/[^]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
