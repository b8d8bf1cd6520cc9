import {escapeLine} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {fillLine, lineWidth} from '../dialogs/box.ts';
import {wrapText, type Line} from '../lines/line.ts';
import {ruleLine} from '../lines/title-parts.ts';
import type {Toast} from '../state/view.ts';

const gap = 2;
const maxRows = 3;
const indent = 3;

/** The keys with the toast at the right end of their row; `undefined` where it has no room there. */
export function besideKeys(keys: Line, {text, tone}: Toast, width: number): Line | undefined {
	const free = width - lineWidth(keys) - widthOf(text) - 1;
	return free < gap
		? undefined
		: [...keys, {text: escapeLine(' '.repeat(free))}, {text, tone}, {text: literal(' ')}];
}

/** A toast as rows of exactly `width` cells under a rule, at most three; what has no room ends with `…`. */
export function toastRows({text, tone}: Toast, width: number): readonly Line[] {
	const cells = width - indent - 1;
	const [first = text, ...rest] = wrapText(text, cells);
	const others = rest.slice(0, maxRows - 1);
	const last = others.length - 1;
	const isCut = rest.length > others.length;
	return [
		ruleLine([[{text: clip(first, cells), tone}]], width),
		...others.map((row, index) =>
			fillLine(
				[
					{text: literal('   ')},
					{text: isCut && index === last ? safe`${clip(row, cells - 1, '')}…` : row, tone},
				],
				width,
			),
		),
	];
}
