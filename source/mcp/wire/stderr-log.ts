import type {Clock} from '../../core/clock.ts';
import {createLineFile} from '../../core/own-files.ts';

/** The size at which the file is rotated; with the previous one the log takes at most twice this. */
const maxBytes = 5 * 1024 * 1024;

/** How many lines may wait for the disk. */
const maxBacklog = 1000;

export type StderrLog = ReturnType<typeof createStderrLog>;

/**
 * Logs the standard error of tool servers to a file (mode 0600), each line with time and server name. Lines that arrive faster than the disk writes are dropped
 * and counted; a failing disk loses lines, but never stops a server.
 */
export function createStderrLog({path, clock}: {readonly path: string; readonly clock: Clock}) {
	const file = createLineFile(path, {
		maxBytes,
		kept: 1,
		maxBacklog,
		describeLost: lines => `${lines} lines were dropped`,
	});
	return {
		/** `line` is escaped and redacted. Never throws, never blocks. */
		write(server: string, line: string): void {
			file.write(`${new Date(clock.now()).toISOString()} [${server}] ${line}`);
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}
