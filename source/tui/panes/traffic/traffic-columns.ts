import type {DeliveryRow} from '../../../core/state.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {aboutText} from '../../../nouns/about.ts';
import type {RunWord} from '../../../nouns/run/run-word.ts';
import {fit, widthOf} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, preciseTime} from '../../../terminal/text/time.ts';
import {resultText, resultTone, signOf} from '../../entries/result-word.ts';
import {clean, type Line} from '../../lines/line.ts';
import {markSign} from '../../lines/marks.ts';

/** Cells of each column; a blank stands between two. 0 leaves one out, with its blank. */
export type TrafficColumns = {
	readonly time: number;
	readonly route: number;
	readonly subject: number;
	readonly result: number;
	/** The state of the run; where it has no column of its own, it stands for the word of the result. */
	readonly run: number;
	readonly ms: number;
};

const preciseFrom = 100;
const runFrom = 92;
const msFrom = 76;

/** Sign columns, and the blanks between the columns that are always there. */
const fixed = 3 + 3;

/** How `width` cells are shared: what says least gets least, or nothing. */
export function trafficColumns(width: number): TrafficColumns {
	const time = width >= preciseFrom ? 12 : 8;
	const result = 18;
	const run = width >= runFrom ? 12 : 0;
	const ms = width >= msFrom ? 5 : 0;
	const spent = [run, ms].reduce((sum, one) => sum + (one > 0 ? one + 1 : 0), fixed);
	const rest = Math.max(10, width - spent - time - result);
	const route = Math.min(24, Math.floor(rest * 0.3));
	return {time, route, subject: rest - route, result, run, ms};
}

const optional = (text: Safe, width: number, align: 'start' | 'end' = 'start'): Safe =>
	width === 0 ? empty : safe` ${fit(text, width, {align})}`;

/** The names of the columns. */
export const trafficHeader = ({time, route, subject, result, run, ms}: TrafficColumns): Safe =>
	safe`   ${fit(literal('time'), time)} ${fit(literal('route'), route)} ${fit(literal('subject'), subject)} ${fit(literal('result'), result)}${optional(literal('run'), run)}${optional(literal('ms'), ms, 'end')}`;

/** One delivery as one row, several at the time of the first; `>` in column 0 marks the selected one in every theme. `work`: where its run stands. */
export function trafficRow(
	row: DeliveryRow,
	{
		columns,
		isMarked = false,
		work,
	}: {
		readonly columns: TrafficColumns;
		readonly isMarked?: boolean;
		readonly work?: RunWord | undefined;
	},
	isSelected: boolean,
): Line {
	const {delivery, count, firstAt = delivery.receivedAt, routes = []} = row;
	const time = columns.time > 8 ? preciseTime : clockTime;
	const sign = signOf(delivery);
	const tone = isSelected ? 'selected' : 'plain';
	const isWorkInResult = work !== undefined && columns.run === 0 && delivery.outcome !== 'delivery';
	const result = isWorkInResult
		? safe`${delivery.status} ${work.text}`
		: clean(resultText(delivery, count));
	const subject = subjectText(delivery, columns.subject);
	const hasRun = columns.run > 0 && work !== undefined;
	const room = columns.result + (hasRun || columns.run === 0 ? 0 : columns.run + 1);
	// A long result takes what a run and the subject leave blank.
	const missing = Math.max(0, widthOf(result) - room);
	const borrowed = Math.min(missing, Math.max(0, columns.subject - widthOf(subject)));
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: clean(sign), tone: 'warn'},
		{text: markSign(isMarked), tone: 'accent'},
		{
			text: safe`${fit(time(firstAt), columns.time)} ${fit(routes.length > 1 ? literal('(several)') : clean(delivery.route), columns.route)} ${fit(subject, columns.subject - borrowed)} `,
			tone,
		},
		{
			text: fit(result, room + borrowed),
			tone: isWorkInResult ? work.tone : resultTone(delivery.outcome),
		},
		...(hasRun ? [{text: optional(work.text, columns.run), tone: work.tone}] : []),
		...(columns.ms > 0
			? [
					{
						text: optional(clean(String(Math.round(delivery.durationMs))), columns.ms, 'end'),
						tone: 'quiet' as const,
					},
				]
			: []),
	];
}

/** What the event is about, and its type behind it where both have room; the type alone where the payload does not say. */
function subjectText({event, subject}: DeliveryRow['delivery'], room: number): Safe {
	const type = clean(event);
	if (subject === undefined || subject === '') {
		return type;
	}

	const about = aboutText(subject, room);
	return widthOf(about) + widthOf(type) + 2 <= room ? safe`${about}  ${type}` : about;
}
