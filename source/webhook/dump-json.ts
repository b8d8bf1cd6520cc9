import {isJsonObject} from '../core/json.ts';
import type {JsonValue} from '../core/json.ts';

/**
 * The first `limit` characters (Unicode code points) of `JSON.stringify(value, null, 2)`, without making the rest: the work is bounded by
 * `limit`, and so is the depth, since every level of nesting writes its indentation.
 */
export function dumpJson(value: JsonValue, limit: number): string {
	const writer = {text: '', limit};
	write(writer, value, '\n');
	return cutCharacters(writer.text, limit);
}

type Writer = {text: string; readonly limit: number};

/** A code point is at most two units, so this many units surely hold `limit` of them. */
const isFull = ({text, limit}: Writer) => text.length >= limit * 2;

/** Enough of a level of nesting without indentation (`[[[[`) cannot exist: a non-empty list breaks its line. */
function write(writer: Writer, value: JsonValue, line: string): void {
	if (isFull(writer)) {
		return;
	}

	if (typeof value === 'string') {
		// Two units more than can be shown, so that a pair torn by this cut lies beyond what is kept.
		writer.text += JSON.stringify(value.slice(0, writer.limit * 2 + 2));
	} else if (Array.isArray(value)) {
		writeList(writer, value, line);
	} else if (isJsonObject(value)) {
		writeObject(writer, value, line);
	} else {
		writer.text += JSON.stringify(value);
	}
}

function writeList(writer: Writer, list: readonly JsonValue[], line: string): void {
	if (list.length === 0) {
		writer.text += '[]';
		return;
	}

	const inner = `${line}  `;
	let opening = '[';
	for (const item of list) {
		writer.text += opening + inner;
		write(writer, item, inner);
		opening = ',';
		if (isFull(writer)) {
			return;
		}
	}

	writer.text += `${line}]`;
}

function writeObject(
	writer: Writer,
	object: {readonly [key: string]: JsonValue},
	line: string,
): void {
	const inner = `${line}  `;
	let opening = '{';
	// Object.entries would list a million keys to show a hundred.
	for (const key in object) {
		if (Object.hasOwn(object, key)) {
			writer.text += `${opening}${inner}${JSON.stringify(key.slice(0, writer.limit * 2 + 2))}: `;
			write(writer, object[key] ?? null, inner);
			opening = ',';
		}

		if (isFull(writer)) {
			return;
		}
	}

	writer.text += opening === '{' ? '{}' : `${line}}`;
}

/** The first `count` code points of `text`; a surrogate pair is never torn. */
export function cutCharacters(text: string, count: number): string {
	if (text.length <= count) {
		return text;
	}

	let units = 0;
	for (let taken = 0; taken < count && units < text.length; taken++) {
		units += (text.codePointAt(units) ?? 0) > 0xff_ff ? 2 : 1;
	}

	return text.slice(0, units);
}
