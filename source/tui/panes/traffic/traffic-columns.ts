import type {DeliveryRow} from '../../../core/state.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {fit, widthOf} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clean, type Line} from '../line.ts';
import {markSign} from '../marks.ts';
import {clockTime, preciseTime} from '../time.ts';
import {resultText, resultTone, signOf} from './result-word.ts';

/** Cells of each column; a blank stands between two. */
export type TrafficColumns = {
	readonly time: number;
	readonly route: number;
	readonly event: number;
	readonly result: number;
	readonly ms: number;
};

const preciseFrom = 90;

/** Sign columns and the blanks between the others. */
const fixed = 3 + 4;

/** How `width` cells are shared: what says least gets least. */
export function trafficColumns(width: number): TrafficColumns {
	const time = width >= preciseFrom ? 12 : 8;
	const result = 19;
	const ms = 5;
	const rest = Math.max(10, width - fixed - time - result - ms);
	const route = Math.min(24, Math.floor(rest * 0.42));
	return {time, route, event: rest - route, result, ms};
}

/** The names of the columns. */
export const trafficHeader = ({time, route, event, result, ms}: TrafficColumns): Safe =>
	safe`   ${fit(literal('time'), time)} ${fit(literal('route'), route)} ${fit(literal('event'), event)} ${fit(literal('result'), result)} ${fit(literal('ms'), ms, {align: 'end'})}`;

/** One delivery as one row, several at the time of the first; `>` in column 0 marks the selected one in every theme. */
export function trafficRow(
	row: DeliveryRow,
	{columns, isMarked = false}: {readonly columns: TrafficColumns; readonly isMarked?: boolean},
	isSelected: boolean,
): Line {
	const {delivery, count, firstAt = delivery.receivedAt, routes = []} = row;
	const time = columns.time > 8 ? preciseTime : clockTime;
	const sign = signOf(delivery);
	const tone = isSelected ? 'selected' : 'plain';
	const event = clean(delivery.event);
	const result = clean(resultText(delivery, count));
	// A long result takes what the event leaves blank.
	const missing = Math.max(0, widthOf(result) - columns.result);
	const borrowed = Math.min(missing, Math.max(0, columns.event - widthOf(event)));
	return [
		{text: isSelected ? literal('>') : literal(' '), tone: 'accent'},
		{text: clean(sign), tone: 'warn'},
		{text: markSign(isMarked), tone: 'accent'},
		{
			text: safe`${fit(time(firstAt), columns.time)} ${fit(routes.length > 1 ? literal('(several)') : clean(delivery.route), columns.route)} ${fit(event, columns.event - borrowed)} `,
			tone,
		},
		{
			text: fit(result, columns.result + borrowed),
			tone: resultTone(delivery.outcome),
		},
		{
			text: safe` ${fit(clean(String(Math.round(delivery.durationMs))), columns.ms, {align: 'end'})}`,
			tone: 'quiet',
		},
	];
}
