import {derive} from '../../../core/derive.ts';
import {logVocabulary} from '../../../core/filter/vocabularies.ts';
import {logLine, type LogLevel, type LogRecord} from '../../../core/log.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {fullTime} from '../../../terminal/text/time.ts';
import {type PaneCommand, onKeys} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToRun} from '../../acts/go-to.ts';
import {blankLine, line, type Line, paragraph} from '../../lines/line.ts';
import {countPart, followPart, groupedCell} from '../../lines/title-parts.ts';
import {onSelected} from '../../nouns/acts.ts';
import {onePane} from '../../nouns/listing.ts';
import type {Shell} from '../../shell/shell.ts';
import {
	countOthers,
	logList,
	logViewOptions,
	messageRows,
	type LogViewOptions,
	type LogRow,
} from './log-rows.ts';

const changeLook = (shell: Shell, part: (look: LogViewOptions) => Partial<LogViewOptions>): void =>
	shell.local(logViewOptions).set(look => ({...look, ...part(look)}));

/** Shows one level only; the same key again restores what was shown before. */
const levelKey = (level: LogLevel, label: Safe): PaneCommand =>
	onKeys([`logs.${level}`, level.slice(0, 1)], label, {
		run: shell => changeLook(shell, ({only}) => ({only: only === level ? undefined : level})),
	});

const nextTime = {clock: 'full', full: 'none', none: 'clock'} as const;

/** What a record is about, a run or else a delivery: its filter word, and the command that goes there. */
function originOf({record: {fields}}: LogRow) {
	const {run, delivery} = fields;
	if (typeof run === 'number') {
		return {word: `run:${run}`, go: (shell: Shell) => goToRun(shell, run)};
	}

	return typeof delivery === 'string' && /^[\w-]+$/.test(delivery)
		? {word: `delivery:${delivery}`, go: (shell: Shell) => goToDelivery(shell, delivery)}
		: undefined;
}

/** Adds a word to the filter, or removes it; the selected record stays selected. */
function toggleWord(shell: Shell, word: string): void {
	const list = shell.list(logList);
	const words = list.get().filterText.split(' ');
	const next = words.includes(word) ? words.filter(one => one !== word) : [...words, word];
	list.move('pause');
	list.setFilter(next.filter(one => one !== '').join(' '));
}

const namesNothing = literal('This record names neither a run nor a delivery');

const logCommands: readonly PaneCommand[] = [
	onKeys(['logs.all', 'a'], literal('all or what matters'), {
		run: shell =>
			changeLook(shell, ({only, showsAll}) => ({
				only: undefined,
				showsAll: only !== undefined || !showsAll,
			})),
	}),
	levelKey('error', literal('errors only')),
	levelKey('warn', literal('warnings only')),
	levelKey('info', literal('info only')),
	levelKey('debug', literal('debug only')),
	onKeys(['logs.wrap', 'W'], literal('wrap'), {
		run: shell => changeLook(shell, ({isWrapped}) => ({isWrapped: !isWrapped})),
	}),
	onKeys(['logs.time', 't'], literal('time format'), {
		run: shell => changeLook(shell, ({time}) => ({time: nextTime[time]})),
	}),
	onSelected(logList)(['logs.copy', 'y'], literal('copy line'), {
		run: (shell, {record}) =>
			shell.attempt(async () => copyText(shell, logLine(record), literal('line'))),
	}),
	onSelected(logList)(['logs.room', 's'], literal('only this room'), {
		quiet: true,
		run: (shell, {record}) => toggleWord(shell, `room:${record.source}`),
	}),
	onSelected(logList)(['logs.same', 'm'], literal('only this run or delivery'), {
		quiet: true,
		of: row => originOf(row)?.word,
		none: namesNothing,
		run: toggleWord,
	}),
	onSelected(logList)(['logs.origin', 'o'], literal('its run or delivery'), {
		quiet: true,
		of: originOf,
		none: namesNothing,
		run: (shell, origin) => origin.go(shell),
	}),
	onKeys(['logs.pager', 'E'], literal('the whole file in $PAGER'), {
		quiet: true,
		run(shell) {
			const {home} = shell.feed.get().state.gateway;
			shell.attempt(async () => shell.desktop.pageFile(`${home}/logs/gateway.log`));
		},
	}),
];

/** A record with each field in its own row. */
const detailOf = derive((record: LogRecord, width: number) => {
	const {at, level, source, fields} = record;
	return [
		line(safe`${fullTime(at)}  ${escapeLine(level)}  ${escapeLine(source)}`, 'strong'),
		blankLine,
		...messageRows(record, width).map(row => line(row)),
		blankLine,
		...Object.entries(fields).flatMap(([key, value]) =>
			paragraph(`${key}  ${String(value)}`, width, 'quiet'),
		),
	];
});

const noDetail: readonly Line[] = [];

/** `812 more, a: all · wrapped`, `only error, e: back`. */
function lookPart(shell: Shell): Line {
	const {only, isWrapped} = shell.local(logViewOptions).get();
	const text = [levelsPart(shell), isWrapped ? 'wrapped' : '']
		.filter(part => part !== '')
		.join(' · ');
	return text === '' ? [] : [{text: escapeLine(text), tone: only === undefined ? 'quiet' : 'warn'}];
}

/** Which levels are hidden, and the key that shows them; empty if none are. */
function levelsPart({local, feed, list}: Shell): string {
	const {only, showsAll} = local(logViewOptions).get();
	if (only !== undefined) {
		return `only ${only}, ${only.slice(0, 1)}: back`;
	}

	if (!list(logList).get().filter.isEmpty) {
		return '';
	}

	const others = countOthers(feed.get().state.logs);
	return showsAll ? 'a: what matters' : others > 0 ? `${groupedCell(others)} more, a: all` : '';
}

/** The program's own log. */
export const logsPane = onePane({
	id: 'logs',
	title: literal('Logs'),
	manual: 'errors',
	empty: () => [
		'No warnings, errors or decisions yet, and no answers that go to the log.',
		'a shows all records; e w i d those of one level, and the same key once more what was there before.',
	],
	isWide: true,
	commands: logCommands,
	listing: {
		list: logList,
		vocabulary: logVocabulary,
		isLive: true,
		detail: ({list}) => ({
			lines(width) {
				const row = list(logList).selected();
				return row ? detailOf(row.record, width) : noDetail;
			},
		}),
		hasCursor: false,
	},
	summary(shell) {
		const records = shell.list(logList);
		return [countPart(records), lookPart(shell), followPart(records)];
	},
});
