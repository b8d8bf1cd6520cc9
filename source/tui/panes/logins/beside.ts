import type {Safe} from '../../../core/untrusted.ts';
import {widthOf} from '../../../terminal/text/fit.ts';
import {clean, clipLine, type Line} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';

/** Something drawn in rows of equal width. */
export type Picture = {readonly width: number; readonly rows: readonly Safe[]; readonly tone: Tone};

/** Fewer are no room for what stands beside a picture. */
const leastCells = 40;

const gap = 2;

/**
 * Text with a picture at its right, or under it, or, where there is no room for it, without: the picture is shown whole on a screen of `height` rows or not at all. `text` lays
 * out its rows for a width, and is told whether the picture is left out.
 */
export function beside(
	text: (width: number, isLeftOut: boolean) => readonly Line[],
	{
		width,
		height,
		picture,
	}: {readonly width: number; readonly height: number; readonly picture: Picture | undefined},
): readonly Line[] {
	if (!picture) {
		return text(width, false);
	}

	// One row is above.
	const room = height - 1;
	const textWidth = width - picture.width - gap;
	if (textWidth >= leastCells && picture.rows.length <= room) {
		return joined(text(textWidth, false), picture, textWidth + gap);
	}

	const rows = text(width, false);
	return picture.width + gap <= width && rows.length + picture.rows.length <= room
		? [...rows, ...joined([], picture, gap)]
		: text(width, true);
}

/** Both, row by row; the picture begins at cell `from`. */
function joined(
	rows: readonly Line[],
	{rows: drawn, tone}: Picture,
	from: number,
): readonly Line[] {
	return Array.from({length: Math.max(rows.length, drawn.length)}, (_, index): Line => {
		const row = clipLine(rows[index] ?? [], from);
		const part = drawn[index];
		const used = row.reduce((sum, {text}) => sum + widthOf(text), 0);
		return part === undefined
			? row
			: [...row, {text: clean(' '.repeat(Math.max(0, from - used)))}, {text: part, tone}];
	});
}
