import type {LogLevel} from '../../../core/log.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {PaneCommand} from '../../acts/command.ts';
import {copyText} from '../../acts/copy.ts';
import {goToDelivery, goToRun} from '../../acts/go-to.ts';
import type {Shell} from '../../shell/shell.ts';
import {allLevels, logList, logLook, usualLevels} from './log-list.ts';
import {recordLine, type LogLook} from './log-row.ts';

const changeLook = (shell: Shell, part: (look: LogLook) => Partial<LogLook>): void => {
	shell.local(logLook).set(look => ({...look, ...part(look)}));
};

/** A level alone; with the same key once more all again. */
const levelKey = (level: LogLevel, key: string, label: Safe): PaneCommand => ({
	id: `logs.${level}`,
	keys: [key],
	label,
	run(shell) {
		changeLook(shell, ({levels, only}) => {
			if (only !== level) {
				return {only: level};
			}

			// Whoever looks for what led to it wants the rest with it; debug is in the rest only when it was asked for.
			return {
				only: undefined,
				...(level === 'debug' && {levels: levels.has(level) ? usualLevels : allLevels}),
			};
		});
	},
});

const nextTime: Readonly<Record<LogLook['time'], LogLook['time']>> = {
	clock: 'full',
	full: 'none',
	none: 'clock',
};

const namesNothing = literal('This record names neither a run nor a delivery');

const noRecord = (shell: Shell): Safe | undefined =>
	shell.list(logList).selected() ? undefined : literal('No record is selected');

/** Commands of pane 8. */
export const logCommands: readonly PaneCommand[] = [
	levelKey('error', 'e', literal('errors only')),
	levelKey('warn', 'w', literal('warnings only')),
	levelKey('info', 'i', literal('info only')),
	levelKey('debug', 'd', literal('debug only')),
	{
		id: 'logs.wrap',
		keys: ['W'],
		label: literal('wrap'),
		run(shell) {
			changeLook(shell, ({isWrapped}) => ({isWrapped: !isWrapped}));
		},
	},
	{
		id: 'logs.time',
		keys: ['t'],
		label: literal('time format'),
		run(shell) {
			changeLook(shell, ({time}) => ({time: nextTime[time]}));
		},
	},
	{
		id: 'logs.copy',
		keys: ['y'],
		label: literal('copy line'),
		why: noRecord,
		run(shell) {
			const row = shell.list(logList).selected();
			if (row) {
				shell.attempt(async () => copyText(shell, recordLine(row.record), literal('line')));
			}
		},
	},
	{
		id: 'logs.room',
		keys: ['s'],
		label: literal('only this room'),
		quiet: true,
		why: noRecord,
		run(shell) {
			const {record} = shell.list(logList).selected() ?? {};
			if (record) {
				toggleWord(shell, `room:${record.source}`);
			}
		},
	},
	{
		id: 'logs.same',
		keys: ['m'],
		label: literal('only this run or delivery'),
		quiet: true,
		why: shell => noRecord(shell) ?? (wordOf(shell) === undefined ? namesNothing : undefined),
		run(shell) {
			const word = wordOf(shell);
			if (word !== undefined) {
				toggleWord(shell, word);
			}
		},
	},
	{
		id: 'logs.origin',
		keys: ['o'],
		label: literal('its run or delivery'),
		quiet: true,
		why: shell => noRecord(shell) ?? (originOf(shell) ? undefined : namesNothing),
		run(shell) {
			const {run, delivery} = originOf(shell) ?? {};
			if (run !== undefined) {
				goToRun(shell, run);
			} else if (delivery !== undefined) {
				goToDelivery(shell, delivery);
			}
		},
	},
	{
		id: 'logs.pager',
		keys: ['E'],
		label: literal('the whole file in $PAGER'),
		quiet: true,
		run(shell) {
			const {home} = shell.feed.get().state.gateway;
			shell.attempt(async () => shell.desktop.pageFile(`${home}/logs/gateway.log`));
		},
	},
];

/** Adds a word to the filter, or takes it out when it is there; the record that is selected stays so. */
function toggleWord(shell: Shell, word: string): void {
	const list = shell.list(logList);
	const words = list
		.get()
		.filterText.split(' ')
		.filter(one => one !== '');
	const next = words.includes(word) ? words.filter(one => one !== word) : [...words, word];
	list.move('pause');
	list.setFilter(next.join(' '));
}

/** What the selected record is about: a run, else a delivery. */
function originOf(shell: Shell): {readonly run?: number; readonly delivery?: string} | undefined {
	const {run, delivery} = shell.list(logList).selected()?.record.fields ?? {};
	if (typeof run === 'number') {
		return {run};
	}

	return typeof delivery === 'string' && /^[\w-]+$/.test(delivery) ? {delivery} : undefined;
}

/** The filter for it. */
function wordOf(shell: Shell): string | undefined {
	const origin = originOf(shell);
	return origin && (origin.run === undefined ? `delivery:${origin.delivery}` : `run:${origin.run}`);
}
