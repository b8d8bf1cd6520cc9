import {quotedName} from '../../core/quoted-name.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import type {PayloadField} from './payload-field.ts';

/** A body as lines for the screen. */
export type PayloadTree = {
	readonly lines: readonly Safe[];
	/** What each line shows, by its index; none for what is no JSON, and for what is nested deeper than 40 times. */
	readonly fields: ReadonlyArray<PayloadField | undefined>;
	/** Characters that had to be made visible. */
	readonly flags: number;
	/** Whether there is more than was read. */
	readonly isCut: boolean;
};

/** How much of a body is looked at: pretty-printing a whole megabyte would hold up the gateway for 40 ms. */
export const payloadLimits = {bytes: 65_536, lines: 3000, columns: 300, depth: 40} as const;

/**
 * The first 64 kB of a body as a tree that reads like YAML. Works on JSON that is cut in the middle; what is no JSON comes
 * line by line as it is. At most 3,000 lines of 300 characters.
 */
export function payloadTree(body: Uint8Array): PayloadTree {
	const text = new TextDecoder().decode(body.subarray(0, payloadLimits.bytes));
	const isCut = body.length > payloadLimits.bytes;
	const tree = treeOf(text, isCut);
	const raw = tree?.lines ?? text.split(/\r?\n/, payloadLimits.lines + 1);
	let flags = 0;
	const lines = raw.slice(0, payloadLimits.lines).map(line => {
		const cleaned = cell(line, payloadLimits.columns);
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

const tokenPattern = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))/sy;
const emptyPattern = /\s*[}\]]/y;

type Frame = {
	readonly isList: boolean;
	/** Where the object or the list stands; `undefined` when that is too deep. */
	readonly path: readonly string[] | undefined;
	/** The member that comes next: its name as it is, and as it is written. */
	name: string | undefined;
	shownName: string | undefined;
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
	/** What stands before the next line instead of its indentation: the dashes of list entries that begin there. */
	let lead: string | undefined;

	const put = (value: string, field: PayloadField | undefined) => {
		const frame = stack.at(-1);
		const indent =
			lead ?? '  '.repeat(Math.min(Math.max(stack.length - 1, 0), payloadLimits.depth));
		const name = frame?.isList
			? '- '
			: frame?.shownName === undefined
				? ''
				: `${frame.shownName}: `;
		lines.push(`${indent}${name}${value}`.trimEnd());
		fields.push(field);
		lead = undefined;
		forgetName(frame);
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

		stack.push({isList, path, name: undefined, shownName: undefined, index: 0});
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
			frame.name = nameOf(string);
			frame.shownName = shownNameOf(string);
		} else if (string !== undefined) {
			put(decoded(string), fieldAt(takePath(stack), string));
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

/** Where the value that comes next stands. Paths cost their length, so what is nested too deep has none. */
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

/** The root is no field, and what is not JSON after all has no value. */
function fieldAt(path: readonly string[] | undefined, json?: string): PayloadField | undefined {
	if (!path || path.length === 0) {
		return undefined;
	}

	return json === undefined ? {path} : isJson(json) ? {path, json} : undefined;
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

function forgetName(frame: Frame | undefined): void {
	if (frame) {
		frame.name = undefined;
		frame.shownName = undefined;
	}
}

function nameOf(string: string): string {
	try {
		return String(JSON.parse(string));
	} catch {
		return string;
	}
}

const shownNameOf = (string: string): string => quotedName(nameOf(string));

/** With readable letters, but line ends and controls still as `\n` and `\u001b`. */
function decoded(string: string): string {
	try {
		return JSON.stringify(JSON.parse(string.slice(0, payloadLimits.bytes)));
	} catch {
		return string;
	}
}
