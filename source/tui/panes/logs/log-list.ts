import type {LogLevel} from '../../../core/log.ts';
import {createList, type List} from '../../state/list.ts';
import {rowsBelow, type ListSource, type LocalState} from '../../state/source.ts';
import {createLogRows, logVocabulary, type LogLook, type LogRow} from './log-row.ts';

/** What is shown until somebody asks for more, and all that there is. */
export const usualLevels: ReadonlySet<LogLevel> = new Set(['error', 'warn', 'info']);
export const allLevels: ReadonlySet<LogLevel> = new Set([...usualLevels, 'debug']);

/** The look of the log. */
export const logLook: LocalState<LogLook> = {
	initial: {levels: usualLevels, isWrapped: false, time: 'clock'},
};

/** The records at the chosen levels; the look of the log is a part of its rows. */
export const logList: ListSource<List<LogRow>> = {
	id: 'logs',
	open(host, filter) {
		const rows = createLogRows();
		return createList(host.feed, {
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
