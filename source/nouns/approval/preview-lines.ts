import type {CallPreview} from '../../core/approval.ts';
import {type Safe, type Escaped, escapeLineCounting, escapeLine} from '../../core/untrusted.ts';

/**
 * A line of a preview with all that is not seen in it: tabs, blanks at its end, controls. Of a line of a diff the character that it begins with is `sign`. `flags` counts neither tabs
 * nor the carriage return of a line that ends with one.
 */
export function previewLine(
	line: string,
	{title}: Pick<CallPreview, 'title'>,
): Escaped & {readonly sign: Safe | undefined} {
	const hasSign = title === 'change' && /^[-+ ]/.test(line);
	const end = line.endsWith('\r') ? '\r' : '';
	const rest = line.slice(hasSign ? 1 : 0, line.length - end.length);
	const written = rest.trimEnd().length;
	// No regular expression: one that looks for blanks at the end takes a time that grows with their square.
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

/** What looks like a blank, or breaks a line, and is neither to a shell. */
const unlikeBlanks = /[^\P{Z} ]/gu;

const asCode = (character: string): string =>
	String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The lines as plain text, or why they are not there. */
export const previewTexts = (preview: CallPreview): readonly string[] =>
	preview.lines?.map(line => {
		const {sign = '', text} = previewLine(line, preview);
		return `${sign}${text}`;
	}) ?? [linesLeftOut(preview)];

/** Said in place of lines that are too many. */
export const linesLeftOut = ({title}: CallPreview): string =>
	title === 'change'
		? 'the change is too large to be compared: the arguments say all of it'
		: 'the command is too long to be shown in lines: the arguments say all of it';
