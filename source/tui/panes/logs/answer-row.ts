import type {Safe} from '../../../core/untrusted.ts';
import {clip} from '../../../terminal/text/fit.ts';
import {safe} from '../../../terminal/text/safe.ts';
import {clean} from '../../lines/line.ts';
import type {LogRow} from './log-row.ts';

/** How the log tells of an answer: it begins alike for all of a route. @see platforms/log/descriptor.ts */
const beginning = /^Answer of (?:route|job) "[^"]*": /;

const leastCells = 12;

/**
 * What the row of an answer says instead of its message, where it is known what its event is about: that comes first, in at most half of `room` cells, and tells the answers of a route
 * apart. `undefined`: as it is written. The record itself stays as it is, in the detail and on the clipboard.
 */
export function answerText(
	{record: {message}}: Pick<LogRow, 'record'>,
	subject: string | undefined,
	room: number,
): Safe | undefined {
	const [start] = beginning.exec(message) ?? [];
	return start === undefined || subject === undefined || subject === ''
		? undefined
		: safe`${clip(clean(subject), Math.max(leastCells, Math.floor(room / 2)))}: ${clean(message.slice(start.length, start.length + shownCharacters))}`;
}

/** Characters of an answer that may stand in its row. */
const shownCharacters = 400;
