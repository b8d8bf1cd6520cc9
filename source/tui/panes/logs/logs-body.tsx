import {useState} from 'react';
import type {Safe} from '../../../core/untrusted.ts';
import {clip, isWithin, widthOf} from '../../../terminal/text/fit.ts';
import {empty, safe} from '../../../terminal/text/safe.ts';
import {clean} from '../../lines/line.ts';
import {useStore} from '../../state/use-store.ts';
import {EmptyList} from '../../view/empty.tsx';
import {ListRows} from '../../view/list-rows.tsx';
import type {RegionProps} from '../../view/region.ts';
import {useShell} from '../../view/shell-context.ts';
import {answerText} from './answer-row.ts';
import {logLine} from './log-line.ts';
import {logList, logLook} from './log-list.ts';
import {repeatsHead, type LogRow} from './log-row.ts';
import {createLogSubjects} from './log-subject.ts';

/** Less of a subject than this says nothing. */
const leastCells = 12;
const signCells = 2;
const gapCells = 2;

/** `  acme/api#7 opened`, where `width` leaves room behind a row. */
function behind({head, text, facts}: LogRow, subject: string | undefined, width: number): Safe {
	const row = safe`${head}${text}${facts}`;
	const room = width - signCells - gapCells;
	return subject === undefined || !isWithin(row, room - leastCells)
		? empty
		: safe`  ${clip(clean(subject), room - widthOf(row))}`;
}

/** The records of the log, one row each, or several where they are wrapped. */
export function LogsBody({width, height}: RegionProps) {
	const shell = useShell();
	const records = shell.list(logList);
	useStore(shell.view, () => shell.local(logLook).get());
	useStore(records, list => list);
	const {state} = useStore(shell.feed, snapshot => snapshot);
	const [subjectOf] = useState(createLogSubjects);
	const shown = records.shown();
	// By what stands above it on the screen, whatever the filter keeps out between them.
	const repeated = new Set(shown.filter((row, index) => repeatsHead(row, shown[index - 1])));
	const {isWrapped} = shell.local(logLook).get();
	/** A row with what its event is about: before its answer, or behind what it says. */
	const lineOf = (row: LogRow, isSelected: boolean) => {
		const subject = row.isHead ? subjectOf(row.record, state) : undefined;
		const room = width - signCells - widthOf(row.head);
		const said = isWrapped ? undefined : answerText(row, subject, room);
		return logLine(said ? {...row, text: said} : row, {
			isSelected,
			isRepeated: repeated.has(row),
			about: said ? empty : behind(row, subject, width),
		});
	};
	return (
		<ListRows
			list={records}
			keyOf={row => row.key}
			rowOf={lineOf}
			width={width}
			height={height}
			whenEmpty={<EmptyList list={records} width={width} height={height} />}
		/>
	);
}
