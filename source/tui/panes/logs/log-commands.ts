import type {LogLevel} from '../../../core/log.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {own} from '../../../terminal/text/safe.ts';
import type {Command} from '../../commands/command.ts';
import {copyText} from '../../commands/copy.ts';
import type {Shell} from '../../shell/shell.ts';
import type {LogView} from '../../state/view.ts';
import {recordLine} from './log-row.ts';

const changeLogs = (shell: Shell, part: (logs: LogView) => Partial<LogView>): void => {
	shell.view.set(state => ({...state, logs: {...state.logs, ...part(state.logs)}}));
};

const levelKey = (level: LogLevel, key: string, label: Safe): Command => ({
	id: `logs.${level}`,
	scope: 'logs',
	keys: [key],
	label,
	run(shell) {
		changeLogs(shell, ({levels}) => {
			const next = new Set(levels);
			if (!next.delete(level)) {
				next.add(level);
			}

			return {levels: next};
		});
	},
});

const nextTime: Readonly<Record<LogView['time'], LogView['time']>> = {
	clock: 'full',
	full: 'none',
	none: 'clock',
};

const noRecord = (shell: Shell): Safe | undefined =>
	shell.lists.logs.selected() ? undefined : own('No record is selected');

/** Commands of pane 8. */
export const logCommands: readonly Command[] = [
	levelKey('error', 'e', own('errors')),
	levelKey('warn', 'w', own('warnings')),
	levelKey('info', 'i', own('info')),
	levelKey('debug', 'd', own('debug')),
	{
		id: 'logs.wrap',
		scope: 'logs',
		keys: ['W'],
		label: own('wrap'),
		run(shell) {
			changeLogs(shell, ({isWrapped}) => ({isWrapped: !isWrapped}));
		},
	},
	{
		id: 'logs.time',
		scope: 'logs',
		keys: ['t'],
		label: own('time format'),
		run(shell) {
			changeLogs(shell, ({time}) => ({time: nextTime[time]}));
		},
	},
	{
		id: 'logs.copy',
		scope: 'logs',
		keys: ['y'],
		label: own('copy line'),
		why: noRecord,
		run(shell) {
			const row = shell.lists.logs.selected();
			if (row) {
				shell.attempt(async () => copyText(shell, recordLine(row.record), own('line')));
			}
		},
	},
	{
		id: 'logs.pager',
		scope: 'logs',
		keys: ['E'],
		label: own('all in $PAGER'),
		quiet: true,
		run(shell) {
			shell.attempt(async () => {
				await shell.desktop.page(
					shell.feed
						.get()
						.state.logs.map(record => recordLine(record))
						.join('\n'),
				);
			});
		},
	},
];
