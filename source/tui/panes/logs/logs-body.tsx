import {derive} from '../../../core/derive.ts';
import type {LogRecord} from '../../../core/log.ts';
import type {GatewayState} from '../../../core/state.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {clip, isWithin, widthOf} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {type Line} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';
import {EmptyList} from '../../view/empty.tsx';
import type {RegionProps} from '../../view/line-block.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import {useStore, useShell} from '../../view/shell-context.ts';
import {answerBeginning, logList, logViewOptions, signCells, type LogRow} from './log-rows.ts';

const tones: Readonly<Record<LogRecord['level'], Tone>> = {
	error: 'bad',
	warn: 'warn',
	note: 'plain',
	info: 'quiet',
	debug: 'quiet',
};

/** A subject in fewer cells says nothing. */
const leastCells = 12;
const gapCells = 2;

const subjectsOf = derive(
	(deliveries: GatewayState['deliveries'], runs: GatewayState['runs']) =>
		new Map<string, string | undefined>([
			...deliveries.map(({delivery}) => [`delivery ${delivery.id}`, delivery.subject] as const),
			...runs.map(({id, subject}) => [`run ${id}`, subject] as const),
		]),
);

/** The subject of the event that a record's run or delivery belongs to, if that is in the state. */
function subjectOf({fields}: LogRecord, {deliveries, runs}: GatewayState): string | undefined {
	const known = subjectsOf(deliveries, runs);
	return known.get(`run ${fields['run']}`) ?? known.get(`delivery ${fields['delivery']}`);
}

/**
 * Adds its event's subject to a row: before an answer, since all answers of a route begin alike, else after the fields if `width` allows. The record itself is
 * unchanged in the detail and on the clipboard.
 */
function withSubject(
	{head, text, facts}: LogRow,
	subject: string,
	{width, isWrapped}: {readonly width: number; readonly isWrapped: boolean},
): {readonly text: Safe; readonly rest: Safe} {
	const room = width - signCells;
	const [start] = isWrapped || subject === '' ? [] : (answerBeginning.exec(text) ?? []);
	if (start !== undefined) {
		const cells = Math.max(leastCells, Math.floor((room - widthOf(head)) / 2));
		const answer = escapeLine(text.slice(start.length));
		return {text: safe`${clip(escapeLine(subject), cells)}: ${answer}`, rest: facts};
	}

	const row = safe`${head}${text}${facts}`;
	return {
		text,
		rest: isWithin(row, room - gapCells - leastCells)
			? safe`${facts}  ${clip(escapeLine(subject), room - gapCells - widthOf(row))}`
			: facts,
	};
}

/** The records of the log, one row each, or several if wrapped. */
export function LogsBody({width, height}: RegionProps) {
	const shell = useShell();
	const records = shell.list(logList);
	useStore(records, list => list);
	const {isWrapped} = useStore(shell.view, () => shell.local(logViewOptions).get());
	const {state} = useStore(shell.feed, snapshot => snapshot);
	const shown = records.shown();
	// Compares with the row above on the screen, whatever the filter hides between them.
	const repeated = new Set(
		shown.filter(({isHead, head}, index) => isHead && head === shown[index - 1]?.head),
	);
	const rowOf = (row: LogRow, isSelected: boolean): Line => {
		const {record, head, isHead} = row;
		const subject = isHead ? subjectOf(record, state) : undefined;
		const {text, rest} =
			subject === undefined
				? {text: row.text, rest: row.facts}
				: withSubject(row, subject, {width, isWrapped});
		const tone = tones[record.level];
		// The selected row is always shown in full.
		const isSaid = repeated.has(row) && !isSelected;
		return [
			{text: isSelected ? literal('> ') : literal('  '), tone: 'accent'},
			{text: isSaid ? escapeLine(' '.repeat(head.length)) : head, tone},
			{text, tone},
			{text: rest, tone: 'quiet'},
		];
	};

	return (
		<ListRows
			list={records}
			keyOf={row => row.key}
			rowOf={rowOf}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={records} width={width} height={height} />}
		/>
	);
}
