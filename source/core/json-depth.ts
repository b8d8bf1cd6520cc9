import type {JsonValue} from './json.ts';

/** Levels of nesting that are walked, compared or written out. `JSON.parse` takes any number of them, most of what follows does not. */
export const maxJsonDepth = 128;

const levels: Readonly<Record<string, number>> = {'{': 1, '[': 1, '}': -1, ']': -1};

/**
 * Whether JSON `text` is nested more than 128 levels deep, so that what is made of it could exhaust the stack of whoever walks it. One pass
 * without recursion; what is no JSON gets some answer.
 */
export function isDeepJson(text: string): boolean {
	const tokens = /[[\]{}"]/g;
	let depth = 0;
	for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
		if (token[0] === '"') {
			tokens.lastIndex = endOfString(text, tokens.lastIndex);
		} else {
			depth += levels[token[0]] ?? 0;
		}

		if (depth > maxJsonDepth) {
			return true;
		}
	}

	return false;
}

/** Members of all objects of one text that are read. Each name that is new costs the parser microseconds: 10 MiB of them hold up everybody for seconds. */
export const maxJsonMembers = 100_000;

/** The shortest member is `"":0,`. */
const fewestChars = maxJsonMembers * 4;

/** Whether JSON `text` has more members than that, in whatever objects. What is no JSON gets some answer. */
export function isCrowdedJson(text: string): boolean {
	if (text.length < fewestChars) {
		return false;
	}

	const tokens = /[:"]/g;
	let members = 0;
	for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
		if (token[0] === '"') {
			tokens.lastIndex = endOfString(text, tokens.lastIndex);
		} else {
			members += 1;
		}

		if (members > maxJsonMembers) {
			return true;
		}
	}

	return false;
}

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
