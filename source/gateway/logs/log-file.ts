import {createLineFile, type LineFileOptions} from '../../core/line-file.ts';
import {logLine, type LogRecord} from '../../core/log.ts';
import {refuseSymlink} from '../../core/symlink-guard.ts';

/** With the two before it a log of the gateway never takes more than three times this. */
export const logBounds: Omit<LineFileOptions, 'describeLost'> = {
	maxBytes: 16 * 1024 * 1024,
	kept: 2,
	maxBacklog: 5000,
};

/** Appends records to a file, one line each. @see createLineFile */
export function createLogFile(path: string) {
	// Later a planted file loses lines in silence; at the start it can still be said.
	refuseSymlink(path);
	const file = createLineFile(path, {
		...logBounds,
		describeLost: lines => `${lines} log lines could not be written`,
	});
	return {
		write(record: LogRecord) {
			file.write(logLine(record));
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}
