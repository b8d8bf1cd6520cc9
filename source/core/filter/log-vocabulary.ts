import {derive} from '../derive.ts';
import {logLevels, type LogRecord} from '../log.ts';
import type {Term, Vocabulary} from './filter.ts';
import {numberTerm, sinceTerm, textTerm} from './terms.ts';

/** A record that a filter is asked about. */
type LoggedRecord = {readonly record: LogRecord};

/** `message k=v`, as one line. */
export const recordText = ({message, fields}: LogRecord): string =>
	[message, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(' ');

const haystackOf = derive((record: LogRecord) =>
	`${record.source} ${recordText(record)}`.toLowerCase(),
);

const fieldOf = ({fields}: LogRecord, name: string): string => String(fields[name] ?? '');

/** The words of the Logs filter: `level: room: run: delivery: route: since:` and free text; `source:` is the room, too. */
export const logVocabulary: Vocabulary<LoggedRecord> = {
	terms: new Map<string, Term<LoggedRecord>>([
		[
			'level',
			textTerm(({record}) => record.level, {
				says: 'how grave it is',
				example: 'level:error,warn',
				words: logLevels,
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
	haystack: ({record}) => haystackOf(record),
};
