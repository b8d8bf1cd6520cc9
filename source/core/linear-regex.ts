import {RE2JS} from 're2js';
import {messageOf, SvcError} from './errors.ts';
import {escapeLine} from './untrusted.ts';

/** A compiled pattern. */
export type LinearRegex = {
	/** Whether the pattern occurs anywhere in the first 65,536 characters of `text`. */
	test(text: string): boolean;
};

const maxPatternBytes = 1024;
const maxSubjectLength = 65_536;

/**
 * Compiles `pattern` (RE2 syntax, at most 1,024 bytes) for an engine whose time grows linearly with the text, so that
 * no pattern and no payload can stall the process. Unanchored.
 *
 * @throws SvcError `regex_unsupported`; the message names the construct that the engine refuses.
 * @see manual/runs.md#states-of-a-run
 */
export function compileLinear(pattern: string): LinearRegex {
	if (Buffer.byteLength(pattern) > maxPatternBytes) {
		throw new SvcError(
			'regex_unsupported',
			`Cannot use a regex of ${Buffer.byteLength(pattern)} bytes: at most ${maxPatternBytes} are allowed`,
		);
	}

	const regex = compile(pattern);
	return {test: text => regex.test(text.slice(0, maxSubjectLength))};
}

function compile(pattern: string): RE2JS {
	try {
		return RE2JS.compile(pattern);
	} catch (error) {
		throw new SvcError(
			'regex_unsupported',
			`Cannot use regex "${escapeLine(pattern, 80)}": ${complaint(messageOf(error))}`,
			{cause: error},
		);
	}
}

/**
 * Constructs of other engines that this engine refuses, recognised by
 * its error message.
 */
const constructs: ReadonlyArray<readonly [start: RegExp, name: string]> = [
	[/: `\(\?<?[=!]/, 'lookaround'],
	[/: `\(\?>/, 'an atomic group'],
	[/: `\(\?\(/, 'a conditional group'],
	[/: `\(\?#/, 'a comment group'],
	[/: `\\(?:[1-9]|k)/, 'a backreference'],
	[/: `(?:[*+?]|\{[\d,]+\})\+`/, 'a possessive quantifier'],
	[/invalid repeat count/, 'a repeat count above 1000'],
];

function complaint(message: string): string {
	const construct = constructs.find(([start]) => start.test(message));
	const detail = escapeLine(message.replace(/^error parsing regexp: /, ''), 160);
	return construct
		? `${construct[1]} is not supported by the linear-time engine (${detail})`
		: detail;
}
