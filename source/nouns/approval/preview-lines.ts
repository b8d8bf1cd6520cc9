import type {CallPreview} from '../../core/approval.ts';
import {cell, type Cleaned, type Safe} from '../../core/untrusted.ts';

/**
 * A line of a preview with all that is not seen in it: tabs, blanks at its end, controls. Of a line of a diff the character that it begins with is `sign`. `flags` counts neither tabs
 * nor the carriage return of a line that ends with one.
 */
export function shownLine(
	line: string,
	{title}: Pick<CallPreview, 'title'>,
): Cleaned & {readonly sign: Safe | undefined} {
	const hasSign = title === 'change' && /^[-+ ]/.test(line);
	const seen = (hasSign ? line.slice(1) : line)
		.replaceAll('\t', '␉ ')
		.replace(/ +(?=\r?$)/, blanks => '·'.repeat(blanks.length));
	const {text, flags} = cell(seen, Infinity);
	return {
		sign: hasSign ? cell(line.slice(0, 1)).text : undefined,
		text,
		flags: line.endsWith('\r') ? flags - 1 : flags,
	};
}

/** The lines as plain text, or why they are not there. */
export const previewTexts = (preview: CallPreview): readonly string[] =>
	preview.lines?.map(line => {
		const {sign = '', text} = shownLine(line, preview);
		return `${sign}${text}`;
	}) ?? [linesLeftOut(preview)];

/** Said in place of lines that are too many. */
export const linesLeftOut = ({title}: CallPreview): string =>
	title === 'change'
		? 'the change is too large to be compared: the arguments say all of it'
		: 'the command is too long to be shown in lines: the arguments say all of it';
