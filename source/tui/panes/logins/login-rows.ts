import type {Safe} from '../../../core/untrusted.ts';
import {fit} from '../../../terminal/text/fit.ts';
import {empty, safe} from '../../../terminal/text/safe.ts';
import {line, wrapText, type Line} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';

const factCells = 11;

/** A fact with its name before it, which has `cells`, in rows of `width` cells. */
export const factRows = (
	name: Safe,
	value: Safe,
	{
		width,
		tone = 'plain',
		cells = factCells,
	}: {readonly width: number; readonly tone?: Tone; readonly cells?: number},
): readonly Line[] =>
	wrapText(value, width - cells - 3).map((row, index): Line => [
		{text: safe`  ${fit(index === 0 ? name : empty, cells)} `, tone: 'quiet'},
		{text: row, tone},
	]);

/** A sentence, indented, in rows of `width` cells. */
export const sentence = (text: Safe, width: number, tone: Tone = 'plain'): readonly Line[] =>
	wrapText(text, width - 4).map(row => line(safe`  ${row}`, tone));
