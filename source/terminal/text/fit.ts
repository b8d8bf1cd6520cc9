import sliceAnsi from 'slice-ansi';
import stringWidth from 'string-width';
import type {Safe} from '../../core/untrusted.ts';

type FitOptions = {
	/** The alignment of the text in its column; `start` by default. */
	readonly align?: 'start' | 'end';
	/** Marks the cut when the text is too long; `…` by default, one cell. Empty for a bare cut. */
	readonly ellipsis?: string;
};

const printableAscii = /^[ -~]*$/;
/** Printable ASCII and the signs of svc's own rows, each one cell wide: most text needs no measuring. */
export const oneCellEach = /^[ -~─│┌┐└┘·…●○◐✓✗–×▁▂▃▄▅▆▇█░]*$/;
const lineBreaking = /[\n\r\t\v\f\u0085\u2028\u2029]/g;
/** Safe text has few combining marks per letter, and emoji of few parts. */
const maxUnitsPerCell = 32;

/** Width of `text` in terminal cells, as Ink counts it. */
export const widthOf = (text: string): number =>
	oneCellEach.test(text) ? text.length : stringWidth(text);

/**
 * `text` made exactly `width` cells wide (0 or more): padded with blanks, or cut between graphemes with `ellipsis` at the end.
 * A line break becomes a blank.
 */
export function fit(text: Safe, width: number, options: FitOptions = {}): Safe {
	const {align = 'start', ellipsis = '…'} = options;
	const line = printableAscii.test(text) ? text : text.replaceAll(lineBreaking, ' ');
	const shown = cut(line, width, ellipsis);
	const padding = ' '.repeat(Math.max(0, width - widthOf(shown)));
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text with blanks is safe
	return (align === 'end' ? padding + shown : shown + padding) as Safe;
}

/** Whether `text` fits into `width` cells. Reads no more of it than could fit. */
export const isWithin = (text: Safe, width: number): boolean =>
	headOf(text, width).length === text.length;

/** `text` cut to at most `width` cells, without padding. */
export const clip = (text: Safe, width: number, ellipsis = '…'): Safe =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
	cut(text, width, ellipsis) as Safe;

function cut(text: string, width: number, ellipsis: string): string {
	const head = headOf(text, width);
	if (head.length === text.length) {
		return text;
	}

	const mark = widthOf(ellipsis) <= width ? ellipsis : '';
	return mark === '' ? head : headOf(text, width - widthOf(mark)) + mark;
}

/** As many graphemes from the start of `text` as fit into `width` cells. */
function headOf(text: string, width: number): string {
	const cells = Math.max(0, width);
	const near = text.slice(0, (cells + 1) * maxUnitsPerCell);
	return oneCellEach.test(near) ? near.slice(0, cells) : sliceAnsi(near, 0, cells);
}
