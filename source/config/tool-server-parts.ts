import {z} from 'zod';
import {parsedJson} from '../core/json.ts';
import {checked, nonBlankText} from '../core/schema-parts.ts';
import {splitCommand} from '../core/shell-words.ts';

const maxArgs = 1000;

const withoutNul = (written: string | number | boolean): string | undefined =>
	String(written).includes('\0') ? 'must not hold a NUL' : undefined;

/** The executable. */
export const programText = checked(nonBlankText, withoutNul);

/** A text; numbers, true and false become text, as values of variables are text anyway. */
export const textLike = checked(
	z.union([z.string(), z.number(), z.boolean()]),
	withoutNul,
).transform(String);

/** Name of an environment variable. */
export const variableName = z
	.string()
	.refine(name => /^[^=\0]+$/.test(name), 'is not the name of a variable');

const argsList = z.array(textLike).max(maxArgs);

/**
 * `args`: a list, or a text: the JSON of a list, the JSON of a mapping (one argument, unchanged), or a command line. A command line is split at blanks; quotes and
 * backslashes work as in a shell, nothing is expanded.
 */
export const argsText = checked(z.union([argsList, z.string()]), written =>
	typeof written === 'string' ? problemWithLine(written) : undefined,
).transform(written => (typeof written === 'string' ? argsIn(written) : written));

const argsIn = (line: string): readonly string[] => jsonArgs(line) ?? splitCommand(line);

function problemWithLine(line: string): string | undefined {
	if (jsonArgs(line)) {
		return undefined;
	}

	return isWhole(line)
		? withoutNul(line)
		: 'has a quote that does not end, or ends in a backslash: write a list';
}

/** The arguments in a text that is JSON; `undefined` for a command line. */
function jsonArgs(line: string): readonly string[] | undefined {
	if (!/^\s*[[{]/.test(line)) {
		return undefined;
	}

	const parsed = parsedJson(line);
	if (parsed === undefined) {
		return undefined;
	}

	return Array.isArray(parsed) ? argsList.safeParse(parsed).data : [line.trim()];
}

/** Whether all quotes are closed. */
const isWhole = (line: string): boolean =>
	line.replaceAll(/[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*'|\s/g, '') === '';

const yes: ReadonlySet<unknown> = new Set([true, 1, 'true', 'yes', 'on', '1']);
const no: ReadonlySet<unknown> = new Set([false, 0, 'false', 'no', 'off', '0']);

/** A boolean in any usual spelling: `true`, `"yes"`, `on`, `1`… */
export const boolLike = checked(z.union([z.boolean(), z.number(), z.string()]), written =>
	yes.has(plain(written)) || no.has(plain(written)) ? undefined : 'must be true or false',
).transform(written => yes.has(plain(written)));

const plain = (written: unknown): unknown =>
	typeof written === 'string' ? written.trim().toLowerCase() : written;
