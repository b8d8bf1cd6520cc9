import {createMemory, derive} from '../../../core/derive.ts';
import {logVocabulary, recordText} from '../../../core/filter/log-vocabulary.ts';
import type {LogLevel, LogRecord} from '../../../core/log.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {empty} from '../../../terminal/text/safe.ts';
import {clockTime, fullTime} from '../../../terminal/text/time.ts';
import {clean, wrapText} from '../../lines/line.ts';
import {createList, type List} from '../../state/list.ts';
import {rowsBelow, type ListSource, type LocalState} from '../../state/source.ts';

/** How a person looks at the log. */
export type LogLook = {
	readonly showsDebug: boolean;
	/** This level alone. */
	readonly only?: LogLevel | undefined;
	readonly isWrapped: boolean;
	readonly time: 'clock' | 'full' | 'none';
};

export const logLook: LocalState<LogLook> = {
	initial: {showsDebug: false, isWrapped: false, time: 'clock'},
};

/** Whether records of this level are shown. */
export const isShown = (
	{showsDebug, only}: Pick<LogLook, 'only' | 'showsDebug'>,
	level: LogLevel,
): boolean => (only === undefined ? showsDebug || level !== 'debug' : level === only);

/** One row of the log on the screen: a record, or a part of one that was wrapped. */
export type LogRow = {
	readonly key: string;
	readonly record: LogRecord;
	/** What stands before the message, as wide in every row. */
	readonly head: Safe;
	readonly text: Safe;
	/** The fields, where they stand in the same row. */
	readonly facts: Safe;
	/** Whether it is the first row of its record. */
	readonly isHead: boolean;
};

const levelSigns: Readonly<Record<LogLevel, string>> = {
	error: '✗ error',
	warn: '! warn ',
	info: '  info ',
	debug: '- debug',
};

const times: Readonly<Record<LogLook['time'], (at: number) => string>> = {
	clock: at => `${clockTime(at)} `,
	full: at => `${fullTime(at)} `,
	none: () => '',
};

/** Cells before a row, for the sign of the selected one. */
export const signCells = 2;

/** Characters of a record that the list shows; the detail has the rest. */
const shownCharacters = 1000;

function rowsOf(
	record: LogRecord,
	key: number,
	{time, wrapsAt}: {readonly time: LogLook['time']; readonly wrapsAt: number | undefined},
): readonly LogRow[] {
	const {level, source, message} = record;
	const head = clean(
		`${times[time](record.at)}${levelSigns[level]} ${source.slice(0, 10).padEnd(10)} `,
	);
	const whole = recordText(record);
	if (wrapsAt === undefined) {
		return [
			{
				key: String(key),
				record,
				head,
				text: clean(message.slice(0, shownCharacters)),
				facts: clean(whole.slice(message.length).slice(0, shownCharacters)),
				isHead: true,
			},
		];
	}

	const parts = wrapText(whole.slice(0, shownCharacters), wrapsAt - signCells - head.length);
	return parts.map((text, index) => ({
		key: `${key}.${index}`,
		record,
		head: index === 0 ? head : clean(' '.repeat(head.length)),
		text,
		facts: empty,
		isHead: index === 0,
	}));
}

/** Makes rows of records, each once per look of the log, so that a line that is added costs one line. */
function createLogRows() {
	let lastKey = 0;
	const keyOf = derive((_record: LogRecord) => (lastKey += 1));
	const knownRows = derive((record: LogRecord, time: LogLook['time'], wrapsAt?: number) =>
		rowsOf(record, keyOf(record), {time, wrapsAt}),
	);
	const remember = createMemory<readonly LogRow[]>();
	return (
		records: readonly LogRecord[],
		{time, isWrapped, showsDebug, only, width}: LogLook & {readonly width: number},
	) => {
		const wrapsAt = isWrapped ? width : undefined;
		return remember([records, time, wrapsAt, showsDebug, only], () =>
			records.flatMap(record => {
				// Also of those that are not shown: keys grow with time.
				keyOf(record);
				return isShown({showsDebug, only}, record.level) ? knownRows(record, time, wrapsAt) : [];
			}),
		);
	};
}

/** The records at the chosen levels; the look of the log is a part of its rows. */
export const logList: ListSource<List<LogRow>> = {
	id: 'logs',
	open(host, filter) {
		const rows = createLogRows();
		return createList<LogRow>(host.feed, {
			keyOf: row => row.key,
			vocabulary: logVocabulary,
			rankOf: key => Number.parseInt(key, 10),
			read: state =>
				rows(state.logs, {...host.local(logLook).get(), width: host.view.get().size.columns}),
			height: rowsBelow(host, 0),
			filter,
		});
	},
};
