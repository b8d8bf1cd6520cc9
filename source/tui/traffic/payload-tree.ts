import {cell, type Safe} from '../../core/untrusted.ts';

/** A body as lines for the screen. */
export type PayloadTree = {
	readonly lines: readonly Safe[];
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
	const raw = treeLines(text, isCut) ?? text.split(/\r?\n/, payloadLimits.lines + 1);
	let flags = 0;
	const lines = raw.slice(0, payloadLimits.lines).map(line => {
		const cleaned = cell(line, payloadLimits.columns);
		flags += cleaned.flags;
		return cleaned.text;
	});
	return {lines, flags, isCut: isCut || raw.length > payloadLimits.lines};
}

const tokenPattern = /\s*(?:([{}[\],:])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s{}[\],:"]+))/sy;
const emptyPattern = /\s*[}\]]/y;

type Frame = {readonly isList: boolean; key: string | undefined};

/** `undefined` when the text is not JSON. */
function treeLines(text: string, isCut: boolean): readonly string[] | undefined {
	const lines: string[] = [];
	const stack: Frame[] = [];
	/** What stands before the next line instead of its indentation: the dashes of list entries that begin there. */
	let lead: string | undefined;

	const put = (value: string) => {
		const frame = stack.at(-1);
		const indent =
			lead ?? '  '.repeat(Math.min(Math.max(stack.length - 1, 0), payloadLimits.depth));
		const name = frame?.isList ? '- ' : frame?.key === undefined ? '' : `${frame.key}: `;
		lines.push(`${indent}${name}${value}`.trimEnd());
		lead = undefined;
		forgetKey(frame);
	};

	const open = (isList: boolean, at: number): number => {
		emptyPattern.lastIndex = at;
		if (emptyPattern.test(text)) {
			put(isList ? '[]' : '{}');
			return emptyPattern.lastIndex;
		}

		const frame = stack.at(-1);
		if (frame?.isList) {
			lead = `${lead ?? '  '.repeat(Math.min(stack.length - 1, payloadLimits.depth))}- `;
		} else if (frame) {
			put('');
		}

		stack.push({isList, key: undefined});
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
		} else if (string !== undefined && frame && !frame.isList && frame.key === undefined) {
			frame.key = keyOf(string);
		} else if (string !== undefined) {
			put(decoded(string));
		} else if (word !== undefined) {
			if (!/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(word)) {
				return undefined;
			}

			put(word);
		}
	}

	const complete = text.slice(at).trim() === '' && stack.length === 0;
	return lines.length > 0 && (complete || isCut || lines.length > payloadLimits.lines)
		? lines
		: undefined;
}

function forgetKey(frame: Frame | undefined): void {
	if (frame) {
		frame.key = undefined;
	}
}

const keyOf = (string: string): string => {
	const quoted = decoded(string);
	return /^"[\w$.@/-]+"$/.test(quoted) ? quoted.slice(1, -1) : quoted;
};

/** With readable letters, but line ends and controls still as `\n` and `\u001b`. */
function decoded(string: string): string {
	try {
		return JSON.stringify(JSON.parse(string.slice(0, payloadLimits.bytes)));
	} catch {
		return string;
	}
}
