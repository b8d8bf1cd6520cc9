import type {CallPreview} from '../../core/approval.ts';
import {type Safe, type Escaped, escapeLineCounting, escapeLine} from '../../core/untrusted.ts';

/**
 * A line of a preview with invisible characters made visible: tabs, trailing blanks, controls. `sign`: the first character of a diff's line. `flags` counts
 * hostile characters, but neither tabs nor the carriage return of a CRLF line.
 */
export function previewLine(
	line: string,
	{title}: Pick<CallPreview, 'title'>,
): Escaped & {readonly sign: Safe | undefined} {
	const hasSign = title === 'change' && /^[-+ ]/.test(line);
	const end = line.endsWith('\r') ? '\r' : '';
	const rest = line.slice(hasSign ? 1 : 0, line.length - end.length);
	const written = rest.trimEnd().length;
	// Without a regular expression: one for trailing blanks takes quadratic time.
	const blanks = /^ *$/.test(rest.slice(written)) ? rest.length - written : 0;
	const strange = rest.match(unlikeBlanks)?.length ?? 0;
	const seen = `${rest
		.slice(0, rest.length - blanks)
		.replaceAll('\t', '␉ ')
		.replace(unlikeBlanks, asCode)}${'·'.repeat(blanks)}${end}`;
	const {text, flags} = escapeLineCounting(seen, Infinity);
	return {
		sign: hasSign ? escapeLine(line.slice(0, 1)) : undefined,
		text,
		flags: flags + strange - end.length,
	};
}

/** Characters that look like a blank or a line break, but are neither to a shell. */
const unlikeBlanks = /[^\P{Z} ]/gu;

const asCode = (character: string): string =>
	String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The lines as plain text, or why they are missing. */
export const previewTexts = (preview: CallPreview): readonly string[] =>
	preview.lines?.map(line => {
		const {sign = '', text} = previewLine(line, preview);
		return `${sign}${text}`;
	}) ?? [linesLeftOut(preview)];

/** Replaces the lines if there are too many. */
export const linesLeftOut = ({title}: CallPreview): string =>
	title === 'change'
		? 'the change is too large to be compared: the arguments say all of it'
		: 'the command is too long to be shown in lines: the arguments say all of it';
