import {logLine} from '../core/log-line.ts';
import type {LogRecord} from '../core/log.ts';
import {createLineFile} from './line-file.ts';

export type LogFile = AsyncDisposable & {
	write(record: LogRecord): void;
};

/** Appends records to a file, one line each. @see createLineFile */
export function createLogFile(path: string): LogFile {
	const file = createLineFile(path, lines => `${lines} log lines could not be written`);
	return {
		write(record) {
			file.write(logLine(record));
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}
