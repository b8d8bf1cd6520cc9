import {createMemory, derive} from '../../../core/derive.ts';
import {logVocabulary, recordText} from '../../../core/filter/vocabularies.ts';
import {matters, type LogLevel, type LogRecord} from '../../../core/log.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {layOutForeignMarkdown} from '../../../terminal/text/markdown.ts';
import {empty} from '../../../terminal/text/safe.ts';
import {clockTime, fullTime} from '../../../terminal/text/time.ts';
import {wrapText} from '../../lines/line.ts';
import {createList, type List} from '../../state/list.ts';
import {rowsBelow, type ListSource, type LocalState} from '../../state/source.ts';

/** How a person looks at the log. */
export type LogViewOptions = {
	/** Or what matters alone; a filter searches all. */
	readonly showsAll: boolean;
	/** This level alone. */
	readonly only?: LogLevel | undefined;
	readonly isWrapped: boolean;
	readonly time: 'clock' | 'full' | 'none';
};

export const logViewOptions: LocalState<LogViewOptions> = {
	initial: {showsAll: false, isWrapped: false, time: 'clock'},
};

/** Whether records of this level are shown. */
const isShown = (
	{showsAll, only}: Pick<LogViewOptions, 'only' | 'showsAll'>,
	level: LogLevel,
): boolean => (only === undefined ? showsAll || matters(level) : level === only);

/** How many records do not matter. */
export const countOthers = derive(
	(records: readonly LogRecord[]): number => records.filter(({level}) => !matters(level)).length,
);

/** One row of the log on the screen: a record, or a part of one that was wrapped. */
export type LogRow = {
	readonly key: string;
	readonly record: LogRecord;
	/** What stands before the message, as wide in every row. */
	readonly head: Safe;
	/** Of an answer in plain words, without its marks of Markdown. */
	readonly text: Safe;
	/** The fields, where they stand in the same row. */
	readonly facts: Safe;
	/** Whether it is the first row of its record. */
	readonly isHead: boolean;
};

const levelSigns: Readonly<Record<LogLevel, string>> = {
	error: '✗',
	warn: '!',
	note: ' ',
	info: '·',
	debug: '-',
};

/** Below so many columns the sign stands for the level. */
const wordsFrom = 100;

const levelText = (level: LogLevel, columns: number): string =>
	columns < wordsFrom ? levelSigns[level] : `${levelSigns[level]} ${level.padEnd(5)}`;

const times: Readonly<Record<LogViewOptions['time'], (at: number) => string>> = {
	clock: at => `${clockTime(at)} `,
	full: at => `${fullTime(at)} `,
	none: () => '',
};

/** Cells before a row, for the sign of the selected one. */
export const signCells = 2;

/** Characters of a record that the list shows; the detail has the rest. */
const shownCharacters = 1000;

/** How the log tells of an answer: it begins alike for all of a route. @see platforms/log/descriptor.ts */
export const answerBeginning = /^Answer of (?:route|job) "[^"]*": /;

/** What the log says, in rows of `width` cells: the answer of a model is Markdown, in one line. */
export const messageRows = ({message}: LogRecord, width: number): readonly Safe[] => {
	const [start] = answerBeginning.exec(message) ?? [];
	return start === undefined
		? wrapText(message, width)
		: [
				...wrapText(start.trimEnd(), width),
				...layOutForeignMarkdown(message.slice(start.length).replaceAll('␊', '\n'), width).map(
					({text}) => text,
				),
			];
};

/** The same in one row. */
const plainMessage = derive((record: LogRecord): string =>
	answerBeginning.test(record.message)
		? messageRows(record, shownCharacters)
				.filter(row => row !== '')
				.map(row => row.trim())
				.join(' ')
		: record.message,
);

function rowsOf(
	record: LogRecord,
	key: number,
	{time, width, isWrapped}: Pick<LogViewOptions, 'isWrapped' | 'time'> & {readonly width: number},
): readonly LogRow[] {
	const {level, source} = record;
	const head = escapeLine(
		`${times[time](record.at)}${levelText(level, width)} ${source.slice(0, 10).padEnd(10)} `,
	);
	const message = plainMessage(record);
	const facts = recordText(record).slice(record.message.length);
	const room = width - signCells - head.length;
	const texts = isWrapped
		? wrapText((message + facts).slice(0, shownCharacters), room)
		: [escapeLine(message.slice(0, shownCharacters))];
	return texts.map((text, index) => ({
		key: isWrapped ? `${key}.${index}` : String(key),
		record,
		head: index === 0 ? head : escapeLine(' '.repeat(head.length)),
		text,
		facts: isWrapped ? empty : escapeLine(facts.slice(0, shownCharacters)),
		isHead: index === 0,
	}));
}

/** Makes rows of records, each once per look of the log, so that a line that is added costs one line. */
function createLogRows() {
	let lastKey = 0;
	const keyOf = derive((_record: LogRecord) => (lastKey += 1));
	const rememberKnown = createMemory<(record: LogRecord) => readonly LogRow[]>();
	const remember = createMemory<readonly LogRow[]>();
	return (
		records: readonly LogRecord[],
		{time, isWrapped, showsAll, only, width}: LogViewOptions & {readonly width: number},
	) => {
		const known = rememberKnown([time, isWrapped, width], () =>
			derive((record: LogRecord) => rowsOf(record, keyOf(record), {time, isWrapped, width})),
		);
		return remember([records, time, isWrapped, showsAll, only, width], () =>
			records.flatMap(record => {
				// Also of those that are not shown: keys grow with time.
				keyOf(record);
				return isShown({showsAll, only}, record.level) ? known(record) : [];
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
			read(state, {isFiltered}) {
				const look = host.local(logViewOptions).get();
				const width = host.view.get().size.columns;
				return rows(state.logs, {...look, ...(isFiltered && {showsAll: true}), width});
			},
			height: rowsBelow(host, 0),
			filter,
		});
	},
};
