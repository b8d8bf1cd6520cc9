import {escapeHazards} from '../../core/json.ts';
import {escapeBlock, escapeLine} from '../../core/untrusted.ts';
import type {Context} from './context.ts';

/** Prints a value as JSON on stdout. Control and hidden characters are escaped; parsing yields the same value. */
export function printJson({stdout}: Pick<Context, 'stdout'>, value: unknown): void {
	stdout.write(`${escapeHazards(JSON.stringify(value, null, 2))}\n`);
}

type CommandResult = {
	readonly json?: boolean | undefined;
	readonly value: unknown;
	readonly lines: readonly string[];
	readonly notes?: readonly string[];
};

/** Prints a command's result: `value` as JSON, or `lines` on stdout; then `notes` on stderr. */
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

/** Prints lines on stdout, escaped. */
export function printLines({stdout}: Pick<Context, 'stdout'>, lines: readonly string[]): void {
	for (const line of lines) {
		stdout.write(`${escapeBlock(line, {maxLength: 1024 * 1024})}\n`);
	}
}

/** Indents foreign text, so that no row can be taken for svc's. */
export const indentedRows = (text: string): readonly string[] =>
	text.split(/\r\n|[\n\u2028\u2029]/).map(row => (row === '' ? '' : `  ${row}`));

/** Prints a message that is not the result: on stderr, escaped. */
export function tell({stderr}: Pick<Context, 'stderr'>, text: string): void {
	stderr.write(`${escapeBlock(text, {maxLength: 64 * 1024})}\n`);
}

/** Prints several messages, one per line. */
export function tellEach(context: Pick<Context, 'stderr'>, lines: Iterable<string>): void {
	for (const line of lines) {
		tell(context, line);
	}
}

/** Prints messages on stderr that must be read completely before answering: nothing is cut. */
export function tellWhole({stderr}: Pick<Context, 'stderr'>, lines: readonly string[]): void {
	for (const line of lines) {
		stderr.write(`${escapeBlock(line, {maxLength: Infinity, maxLines: Infinity})}\n`);
	}
}

/** Prints sentences on stderr: on a terminal wrapped between words, with the indentation of the first row. */
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
