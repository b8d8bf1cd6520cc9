import {isJsonObject, type JsonValue} from '../core/json.ts';

/**
 * The first `limit` characters (Unicode code points) of `JSON.stringify(value, null, 2)`. Time and recursion depth are bounded by `limit`, since every level writes its
 * indentation.
 */
export function dumpJson(value: JsonValue, limit: number): string {
	const writer = {text: '', room: limit, limit};
	write(writer, value, '\n');
	return cutCharacters(writer.text, limit);
}

type Writer = {
	text: string;
	/** Once `text` has this length (UTF-16 units), it holds at least `limit` characters. */
	room: number;
	readonly limit: number;
};

const surrogate = /[\ud800-\udfff]/;

function write(writer: Writer, value: JsonValue, line: string): void {
	if (typeof value === 'string') {
		writeString(writer, value);
	} else if (typeof value !== 'object' || value === null) {
		writer.text += JSON.stringify(value);
	} else if (isJsonObject(value)) {
		writeObject(writer, value, line);
	} else {
		writeList(writer, value, line);
	}
}

function writeString(writer: Writer, value: string): void {
	// Cut at more than can be shown: should the cut tear a surrogate pair, that pair is never shown.
	const most = writer.limit * 2 + 2;
	const text = JSON.stringify(value.length > most ? value.slice(0, most) : value);
	if (surrogate.test(text)) {
		// A surrogate pair is one character of two units, so more units may be needed for `limit` characters.
		writer.room += text.length;
	}

	writer.text += text;
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
		if (writer.text.length >= writer.room) {
			return;
		}

		opening = ',';
		write(writer, item, inner);
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
	for (const key of Object.keys(object)) {
		writer.text += opening + inner;
		if (writer.text.length >= writer.room) {
			return;
		}

		opening = ',';
		writeString(writer, key);
		writer.text += ': ';
		write(writer, object[key] ?? null, inner);
	}

	writer.text += opening === '{' ? '{}' : `${line}}`;
}

/** The first `count` code points of `text`; a surrogate pair is never torn. */
export function cutCharacters(text: string, count: number): string {
	if (text.length <= count) {
		return text;
	}

	const head = text.slice(0, count);
	if (!surrogate.test(head)) {
		return head;
	}

	let units = 0;
	for (let taken = 0; taken < count && units < text.length; taken++) {
		units += (text.codePointAt(units) ?? 0) > 0xff_ff ? 2 : 1;
	}

	return text.slice(0, units);
}
