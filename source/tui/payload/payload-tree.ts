import type {StoredDelivery} from '../../core/delivery.ts';
import {quotedName} from '../../core/names.ts';
import {codeHostPayload} from '../../core/payload.ts';
import {type Safe, escapeLineCounting, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {bytes} from '../../terminal/text/time.ts';
import {line, type Line} from '../lines/line.ts';
import type {Loaded} from '../state/loader.ts';
import type {PayloadField} from './payload-field.ts';

/** A body as lines for display. */
type PayloadTree = {
	readonly lines: readonly Safe[];
	/** The field of each line, by index; absent if the text is not JSON, and below 40 levels. */
	readonly fields: ReadonlyArray<PayloadField | undefined>;
	/** How many characters were escaped. */
	readonly flags: number;
	/** Whether a part of the body was not read. */
	readonly isCut: boolean;
};

/** How much of a body is read: pretty-printing a megabyte would block the gateway for 40 ms. */
export const payloadLimits = {bytes: 65_536, lines: 3000, columns: 300, depth: 40} as const;

/** The first 64 kB of a body as a tree that reads like YAML. Truncated JSON works too; other text is shown line by line. At most 3,000 lines of 300 characters. */
export function payloadTree(body: Uint8Array): PayloadTree {
	const text = new TextDecoder().decode(body.subarray(0, payloadLimits.bytes));
	const isCut = body.length > payloadLimits.bytes;
	const tree = treeOf(text, isCut);
	const raw = tree?.lines ?? text.split(/\r?\n/, payloadLimits.lines + 1);
	let flags = 0;
	const lines = raw.slice(0, payloadLimits.lines).map(row => {
		const cleaned = escapeLineCounting(row, payloadLimits.columns);
		flags += cleaned.flags;
		return cleaned.text;
	});
	return {
		lines,
		fields: tree?.fields ?? [],
		flags,
		isCut: isCut || raw.length > payloadLimits.lines,
	};
}

/** The readable payload of a delivery; `undefined` if its body was not stored. */
export function payloadOf(delivery: StoredDelivery): PayloadTree | undefined {
	const json = codeHostPayload(delivery);
	const body = json === undefined ? delivery.body : new TextEncoder().encode(json);
	return body && payloadTree(body);
}

const tokenPattern = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))/sy;
const emptyPattern = /\s*[}\]]/y;

type Frame = {
	readonly isList: boolean;
	/** The path of the object or list; `undefined` if it is nested too deep. */
	readonly path: readonly string[] | undefined;
	/** The name of the next member. */
	name: string | undefined;
	index: number;
};

type Tree = {
	readonly lines: readonly string[];
	readonly fields: ReadonlyArray<PayloadField | undefined>;
};

/** `undefined` when the text is not JSON. */
function treeOf(text: string, isCut: boolean): Tree | undefined {
	const lines: string[] = [];
	const fields: Array<PayloadField | undefined> = [];
	const stack: Frame[] = [];
	/** Replaces the next line's indentation: the dashes of list entries that begin there. */
	let lead: string | undefined;

	const put = (value: string, field: PayloadField | undefined) => {
		const frame = stack.at(-1);
		const indent =
			lead ?? '  '.repeat(Math.min(Math.max(stack.length - 1, 0), payloadLimits.depth));
		const name = frame?.isList
			? '- '
			: frame?.name === undefined
				? ''
				: `${quotedName(frame.name)}: `;
		lines.push(`${indent}${name}${value}`.trimEnd());
		fields.push(field);
		lead = undefined;
		if (frame) {
			frame.name = undefined;
		}
	};

	const open = (isList: boolean, at: number): number => {
		const path = takePath(stack);
		emptyPattern.lastIndex = at;
		if (emptyPattern.test(text)) {
			put(isList ? '[]' : '{}', fieldAt(path));
			return emptyPattern.lastIndex;
		}

		const frame = stack.at(-1);
		if (frame?.isList) {
			lead = `${lead ?? '  '.repeat(Math.min(stack.length - 1, payloadLimits.depth))}- `;
		} else if (frame) {
			put('', fieldAt(path));
		}

		stack.push({isList, path, name: undefined, index: 0});
		return at;
	};

	let at = 0;
	while (lines.length <= payloadLimits.lines) {
		tokenPattern.lastIndex = at;
		const match = tokenPattern.exec(text);
		if (!match) {
			break;
		}

		const [, sign, string, word] = match;
		at = tokenPattern.lastIndex;
		const frame = stack.at(-1);
		if (sign === '{' || sign === '[') {
			at = open(sign === '[', at);
		} else if (sign === '}' || sign === ']') {
			stack.pop();
		} else if (string !== undefined && frame && !frame.isList && frame.name === undefined) {
			const name = parsed(string);
			frame.name = typeof name === 'string' ? name : string;
		} else if (string !== undefined) {
			// Readable letters, but line ends and control characters as `
			// ` and `\u001b`.
			put(JSON.stringify(parsed(string)) ?? string, fieldAt(takePath(stack), string));
		} else if (word !== undefined) {
			if (!/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(word)) {
				return undefined;
			}

			put(word, fieldAt(takePath(stack), word));
		}
	}

	const complete = text.slice(at).trim() === '' && stack.length === 0;
	return lines.length > 0 && (complete || isCut || lines.length > payloadLimits.lines)
		? {lines, fields}
		: undefined;
}

/** The path of the next value. Paths cost their length, so deeply nested values have none. */
function takePath(stack: readonly Frame[]): readonly string[] | undefined {
	const frame = stack.at(-1);
	if (!frame) {
		return [];
	}

	const name = frame.isList ? String(frame.index) : frame.name;
	frame.index += 1;
	return frame.path && name !== undefined && stack.length <= payloadLimits.depth
		? [...frame.path, name]
		: undefined;
}

/** The root is not a field; text that is not JSON after all has no value. */
function fieldAt(path: readonly string[] | undefined, json?: string): PayloadField | undefined {
	if (!path || path.length === 0) {
		return undefined;
	}

	return json === undefined ? {path} : parsed(json) === undefined ? undefined : {path, json};
}

/** `undefined` if it is not JSON. */
function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

/** The payload of a delivery in rows; rows of JSON carry their field. */
export function payloadRows(loaded: Loaded<StoredDelivery>): readonly Line[] {
	switch (loaded.status) {
		case 'loading':
			return [line(literal('Payload  loading'), 'quiet')];
		case 'missing':
			return [line(notKept, 'quiet')];
		case 'failed':
			return [line(safe`Payload  ✗ ${escapeLine(loaded.reason)}`, 'bad')];
		case 'ready': {
			const tree = payloadOf(loaded.value);
			return tree ? treeRows(tree, loaded.value.body?.length ?? 0) : [line(notKept, 'quiet')];
		}
	}
}

const notKept = literal('Payload  not kept for this delivery');

const treeRows = ({lines, fields, flags, isCut}: PayloadTree, length: number): readonly Line[] => [
	[
		{text: literal('Payload'), tone: 'title'},
		{
			text: safe`  untrusted · ${flags} control · ${lines.length} lines · ${bytes(length)}`,
			tone: flags > 0 ? 'warn' : 'quiet',
		},
	],
	...lines.map((text, index): Line => {
		const field = fields[index];
		return [{text: safe` ${text}`, ...(field && {field})}];
	}),
	...(isCut ? [line(literal(' … e opens the rest in $PAGER'), 'quiet')] : []),
];
