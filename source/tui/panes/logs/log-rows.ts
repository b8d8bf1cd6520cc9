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

/** The display options of the log. */
export type LogViewOptions = {
	/** Shows every record. Otherwise only important ones, unless a filter is set, which searches all. */
	readonly showsAll: boolean;
	/** Shows this level only. */
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

/** Counts the records that are not important. */
export const countOthers = derive(
	(records: readonly LogRecord[]): number => records.filter(({level}) => !matters(level)).length,
);

/** A row of the log: a record, or a part of a wrapped one. */
export type LogRow = {
	readonly key: string;
	readonly record: LogRecord;
	/** The text before the message, equally wide in every row. */
	readonly head: Safe;
	/** The message; of an answer plain words without Markdown. */
	readonly text: Safe;
	/** The record's fields, if they are in the same row. */
	readonly facts: Safe;
	/** Whether this is the first row of its record. */
	readonly isHead: boolean;
};

const levelSigns: Readonly<Record<LogLevel, string>> = {
	error: '✗',
	warn: '!',
	note: ' ',
	info: '·',
	debug: '-',
};

/** Below this many columns the level is shown as a sign. */
const wordsFrom = 100;

const levelText = (level: LogLevel, columns: number): string =>
	columns < wordsFrom ? levelSigns[level] : `${levelSigns[level]} ${level.padEnd(5)}`;

const times: Readonly<Record<LogViewOptions['time'], (at: number) => string>> = {
	clock: at => `${clockTime(at)} `,
	full: at => `${fullTime(at)} `,
	none: () => '',
};

/** Cells before a row for the sign of the selection. */
export const signCells = 2;

/** How many characters of a record the list shows; the detail shows all. */
const shownCharacters = 1000;

/** How log messages about an answer begin; equal for all answers of a route. @see platforms/log/descriptor.ts */
export const answerBeginning = /^Answer of (?:route|job) "[^"]*": /;

/** The message in rows of `width` cells; a model's answer is Markdown in one line. */
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

/** The message in one row. */
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

/** Makes rows of records. Each is cached per display options, so that a new record costs one row. */
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
				// Hidden records get keys too: keys count upwards.
				keyOf(record);
				return isShown({showsAll, only}, record.level) ? known(record) : [];
			}),
		);
	};
}

/** The records at the chosen levels; their rows depend on the display options. */
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
