import {ui} from '../../../terminal/text/safe.ts';
import {blankLine, clean, line, wrapText, type Line} from '../line.ts';
import {fullTime} from '../time.ts';
import type {LogRow} from './log-row.ts';

/** One record with every field on its own row. */
export function logDetail({record}: LogRow, width: number): readonly Line[] {
	return [
		line(ui`${fullTime(record.at)}  ${clean(record.level)}  ${clean(record.source)}`, 'strong'),
		blankLine,
		...wrapText(record.message, width).map(row => line(row)),
		blankLine,
		...Object.entries(record.fields).flatMap(([key, value]) =>
			wrapText(`${key}  ${String(value)}`, width).map(row => line(row, 'quiet')),
		),
	];
}
