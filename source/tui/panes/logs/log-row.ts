import type {Term, Vocabulary} from '../../../core/filter/filter.ts';
import {numberTerm, sinceTerm, textTerm} from '../../../core/filter/terms.ts';
import type {LogLevel, LogRecord} from '../../../core/log.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {clockTime, fullTime} from '../../../terminal/text/time.ts';
import {clean, wrapText} from '../../lines/line.ts';

/** How a person looks at the log. */
export type LogLook = {
	readonly levels: ReadonlySet<LogLevel>;
	/** This level alone, whatever `levels` are. */
	readonly only?: LogLevel | undefined;
	readonly isWrapped: boolean;
	readonly time: 'clock' | 'full' | 'none';
};

/** Levels that are shown now. */
export const shownLevels = ({
	levels,
	only,
}: Pick<LogLook, 'levels' | 'only'>): ReadonlySet<LogLevel> =>
	only === undefined ? levels : new Set([only]);

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

/** Whether the head of a row would say what the row above has just said. */
export const repeatsHead = (row: LogRow, above: LogRow | undefined): boolean =>
	row.isHead && above !== undefined && row.head === above.head;

/** `message k=v`, as one line. */
export const recordText = ({message, fields}: LogRecord): string =>
	[message, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(' ');

/** `time level source message k=v`, for the clipboard and the pager. */
export const recordLine = (record: LogRecord): string =>
	`${fullTime(record.at)} ${record.level.padEnd(5)} ${record.source} ${recordText(record)}`;

const levelSigns: Readonly<Record<LogLevel, string>> = {
	error: '✗ error',
	warn: '! warn ',
	info: '  info ',
	debug: '- debug',
};

const times: Readonly<Record<LogLook['time'], (at: number) => string>> = {
	clock: clockTime,
	full: fullTime,
	none: () => '',
};

/** Cells before a row, for the sign of the selected one. */
const signCells = 2;

/** Characters of a record that the list shows; the detail has the rest. */
const shownCharacters = 1000;

/** What stands before the message. */
const headOf = (record: LogRecord, time: LogLook['time']): string =>
	`${`${times[time](record.at)} `.trimStart()}${levelSigns[record.level]} ${record.source.slice(0, 10).padEnd(10)} `;

/**
 * Makes rows of records. Each record is turned into rows once per look of the log, so that a line that is added costs one line.
 */
export function createLogRows(): (
	records: readonly LogRecord[],
	look: LogLook & {readonly width: number},
) => readonly LogRow[] {
	const keys = new WeakMap<LogRecord, number>();
	let nextKey = 0;
	let cache = new WeakMap<LogRecord, readonly LogRow[]>();
	let last = {
		records: undefined as readonly LogRecord[] | undefined,
		look: '',
		rows: [] as readonly LogRow[],
	};

	const keyOf = (record: LogRecord) => {
		const key = keys.get(record) ?? (nextKey += 1);
		keys.set(record, key);
		return key;
	};

	return (records, look) => {
		const name = [look.isWrapped, look.time, look.isWrapped ? look.width : 0].join();
		const levels = shownLevels(look);
		const all = `${name} ${[...levels].join()}`;
		if (last.records === records && last.look === all) {
			return last.rows;
		}

		if (!last.look.startsWith(`${name} `)) {
			cache = new WeakMap();
		}

		const rows: LogRow[] = [];
		for (const record of records) {
			// Also of those that are not shown: keys grow with time.
			const key = keyOf(record);
			if (levels.has(record.level)) {
				const known = cache.get(record) ?? rowsOfRecord(record, look, key);
				cache.set(record, known);
				rows.push(...known);
			}
		}

		last = {records, look: all, rows};
		return rows;
	};
}

function rowsOfRecord(
	record: LogRecord,
	look: LogLook & {readonly width: number},
	key: number,
): readonly LogRow[] {
	const head = clean(headOf(record, look.time));
	if (!look.isWrapped) {
		const [text, facts] = [record.message, recordText(record).slice(record.message.length)];
		return [
			{
				key: String(key),
				record,
				head,
				text: clean(text.slice(0, shownCharacters)),
				facts: clean(facts.slice(0, shownCharacters)),
				isHead: true,
			},
		];
	}

	const text = recordText(record).slice(0, shownCharacters);
	return wrapText(text, look.width - signCells - head.length).map((part, index) => ({
		key: `${key}.${index}`,
		record,
		head: index === 0 ? head : clean(' '.repeat(head.length)),
		text: part,
		facts: clean(''),
		isHead: index === 0,
	}));
}

const texts = new WeakMap<LogRecord, string>();

const fieldOf = ({fields}: LogRecord, name: string): string => String(fields[name] ?? '');

/** The words of the Logs filter: `level: room: run: delivery: route: since:` and free text; `source:` is the room, too. */
export const logVocabulary: Vocabulary<LogRow> = {
	terms: new Map<string, Term<LogRow>>([
		[
			'level',
			textTerm(({record}) => record.level, {
				says: 'how grave it is',
				example: 'level:error,warn',
				words: ['error', 'warn', 'info', 'debug'],
			}),
		],
		[
			'room',
			textTerm(({record}) => record.source, {says: 'who wrote it', example: 'room:webhook'}),
		],
		[
			'source',
			textTerm(({record}) => record.source, {says: 'the room, too', example: 'source:agent'}),
		],
		[
			'run',
			numberTerm(({record}) => Number(record.fields['run'] ?? Number.NaN), {
				says: 'the run that it is about',
				example: 'run:184',
			}),
		],
		[
			'delivery',
			textTerm(({record}) => fieldOf(record, 'delivery'), {
				says: 'the delivery that it is about',
				example: 'delivery:d7f3a1',
			}),
		],
		[
			'route',
			textTerm(({record}) => fieldOf(record, 'route'), {
				says: 'the route that it is about',
				example: 'route:gh-review',
			}),
		],
		[
			'since',
			sinceTerm(({record}) => record.at, {
				says: 'written since: so long ago, or that time of the last day',
				example: 'since:10m',
			}),
		],
	]),
	haystack({record}) {
		const text = texts.get(record) ?? `${record.source} ${recordText(record)}`.toLowerCase();
		texts.set(record, text);
		return text;
	},
};
