import {escapeHazards} from '../../core/json.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {Context} from './context.ts';

/** Prints one value as JSON on stdout. What a terminal might obey or hide is escaped: the value is the same for who parses it. */
export function printJson({stdout}: Pick<Context, 'stdout'>, value: unknown): void {
	stdout.write(`${escapeHazards(JSON.stringify(value, null, 2))}\n`);
}

type CommandResult = {
	readonly json?: boolean | undefined;
	readonly value: unknown;
	readonly lines: readonly string[];
	readonly notes?: readonly string[];
};

/** Prints what a command did: `value` as JSON, else `lines` on stdout, then `notes` on stderr. */
export function printResult(
	context: Pick<Context, 'stderr' | 'stdout'>,
	{json = false, value, lines, notes = []}: CommandResult,
): void {
	if (json) {
		printJson(context, value);
		return;
	}

	printLines(context, lines);
	tellEach(context, notes);
}

/** Prints lines on stdout, cleaned: whatever they hold, the terminal sees text. */
export function printLines({stdout}: Pick<Context, 'stdout'>, lines: readonly string[]): void {
	for (const line of lines) {
		stdout.write(`${escapeBlock(line, {maxLength: 1024 * 1024})}\n`);
	}
}

/** A text of others as rows that are indented: none can be taken for a line of ours. */
export const indentedRows = (text: string): readonly string[] =>
	text.split(/\r\n|[\n\u2028\u2029]/).map(row => (row === '' ? '' : `  ${row}`));

/** Tells the person something that is not the result: on stderr, cleaned. */
export function tell({stderr}: Pick<Context, 'stderr'>, text: string): void {
	stderr.write(`${escapeBlock(text, {maxLength: 64 * 1024})}\n`);
}

/** The same, a line for each. */
export function tellEach(context: Pick<Context, 'stderr'>, lines: Iterable<string>): void {
	for (const line of lines) {
		tell(context, line);
	}
}

/** The same for lines that a person has to read whole before answering: nothing is cut. */
export function tellWhole({stderr}: Pick<Context, 'stderr'>, lines: readonly string[]): void {
	for (const line of lines) {
		stderr.write(`${escapeBlock(line, {maxLength: Infinity, maxLines: Infinity})}\n`);
	}
}

/** The same for sentences: on a terminal they are broken between words, and the rows of one are indented as its first. */
export async function tellSentences(
	{stderr}: Pick<Context, 'stderr'>,
	lines: readonly string[],
): Promise<void> {
	const {wrapWords} = await import('../../terminal/text/wrap-words.ts');
	const room = stderr.isTTY && stderr.columns > 0 ? stderr.columns : Infinity;
	for (const line of lines) {
		const [indent = ''] = /^ */.exec(line) ?? [];
		const rows = wrapWords(escapeLine(line.trimStart(), Infinity), room - indent.length);
		for (const row of rows) {
			stderr.write(`${indent}${row}\n`);
		}
	}
}
