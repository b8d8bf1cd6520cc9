import type {LogLevel, LogRecord} from '../../../core/log.ts';
import type {Safe} from '../../../core/untrusted.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {sinceTerm, textTerm} from '../../filter/terms.ts';
import {clean, wrapText} from '../line.ts';
import {clockTime, fullTime} from '../time.ts';

/** How a person looks at the log. */
export type LogLook = {
	readonly levels: ReadonlySet<LogLevel>;
	readonly isWrapped: boolean;
	readonly time: 'clock' | 'full' | 'none';
};

/** One row of the log on the screen: a record, or a part of one that was wrapped. */
export type LogRow = {
	readonly key: string;
	readonly record: LogRecord;
	readonly text: Safe;
	/** Whether it is the first row of its record. */
	readonly isHead: boolean;
};

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
		const all = `${name} ${[...look.levels].join()}`;
		if (last.records === records && last.look === all) {
			return last.rows;
		}

		if (!last.look.startsWith(`${name} `)) {
			cache = new WeakMap();
		}

		const rows: LogRow[] = [];
		for (const record of records) {
			if (look.levels.has(record.level)) {
				const known = cache.get(record) ?? rowsOfRecord(record, look, keyOf(record));
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
	const head = headOf(record, look.time);
	const text = recordText(record).slice(0, shownCharacters);
	if (!look.isWrapped) {
		return [{key: String(key), record, text: clean(head + text), isHead: true}];
	}

	return wrapText(text, look.width - signCells - head.length).map((part, index) => ({
		key: `${key}.${index}`,
		record,
		text: clean((index === 0 ? head : ' '.repeat(head.length)) + part),
		isHead: index === 0,
	}));
}

const texts = new WeakMap<LogRecord, string>();

/** The words of the Logs filter: `level: source: since:` and free text. */
export const logVocabulary: Vocabulary<LogRow> = {
	terms: new Map<string, Term<LogRow>>([
		['level', textTerm(({record}) => record.level)],
		['source', textTerm(({record}) => record.source)],
		['since', sinceTerm(({record}) => record.at)],
	]),
	haystack({record}) {
		const text = texts.get(record) ?? `${record.source} ${recordText(record)}`.toLowerCase();
		texts.set(record, text);
		return text;
	},
};
