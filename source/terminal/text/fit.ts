import stringWidth from 'string-width';
import type {Safe} from '../../core/untrusted.ts';

export type FitOptions = {
	/** Where the text stands in its column; `start` by default. */
	readonly align?: 'start' | 'end';
	/** Put at the cut when the text is too long; `…` by default, one cell. Empty for a bare cut. */
	readonly ellipsis?: string;
};

const printableAscii = /^[ -~]*$/;
/** Printable ASCII and the signs of our own rows, each one cell wide: what stands on the screen most is not measured. */
const oneCellEach = /^[ -~─·…●○◐✓✗–×█░]*$/;
const lineBreaking = /[\n\r\t\v\f\u0085\u2028\u2029]/g;
const graphemes = new Intl.Segmenter(undefined, {granularity: 'grapheme'});

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
	const shown = widthOf(line) <= width ? line : cut(line, width, ellipsis);
	const padding = ' '.repeat(Math.max(0, width - widthOf(shown)));
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text with blanks is safe
	return (align === 'end' ? padding + shown : shown + padding) as Safe;
}

/** `text` cut to at most `width` cells, without padding. */
export function clip(text: Safe, width: number, ellipsis = '…'): Safe {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of a safe text is safe
	return (widthOf(text) <= width ? text : cut(text, width, ellipsis)) as Safe;
}

function cut(text: string, width: number, ellipsis: string): string {
	const mark = widthOf(ellipsis) <= width ? ellipsis : '';
	const room = Math.max(0, width - widthOf(mark));
	if (printableAscii.test(text)) {
		return text.slice(0, room) + mark;
	}

	let kept = '';
	let used = 0;
	// No more than 32 units a cell are looked at: a grapheme may carry any number of marks.
	for (const {segment} of graphemes.segment(text.slice(0, (width + 1) * 32))) {
		used += widthOf(segment);
		if (used > room) {
			break;
		}

		kept += segment;
	}

	return kept + mark;
}
