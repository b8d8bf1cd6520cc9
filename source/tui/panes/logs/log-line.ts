import type {Safe} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clean, type Line} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';
import type {LogRow} from './log-row.ts';

const tones: Readonly<Record<LogRow['record']['level'], Tone>> = {
	error: 'bad',
	warn: 'warn',
	info: 'plain',
	debug: 'quiet',
};

/** One row of the log. */
export const logLine = (
	{head, text, facts, record}: LogRow,
	{
		isSelected,
		isRepeated,
		about,
	}: {
		readonly isSelected: boolean;
		readonly isRepeated: boolean;
		/** What is said behind it. */
		readonly about: Safe;
	},
): Line => [
	{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
	// The selected row says by itself what it is.
	{
		text: isRepeated && !isSelected ? clean(' '.repeat(head.length)) : head,
		tone: tones[record.level],
	},
	{text, tone: tones[record.level]},
	{text: safe`${facts}${about}`, tone: 'quiet'},
];
