import type {Clock} from '../../core/clock.ts';
import {createLineFile} from '../../core/own-files.ts';

/** The file is set aside at this size; with the one before it the log never takes more than twice this. */
const maxBytes = 5 * 1024 * 1024;

/** Lines that may wait for the disk. */
const maxBacklog = 1000;

export type StderrLog = ReturnType<typeof createStderrLog>;

/**
 * What tool servers write to their standard error: a file (0600), each line with the time and the server's name. What comes faster than the disk takes it
 * is dropped and counted; a disk that fails loses lines, never a server.
 */
export function createStderrLog({path, clock}: {readonly path: string; readonly clock: Clock}) {
	const file = createLineFile(path, {
		maxBytes,
		kept: 1,
		maxBacklog,
		describeLost: lines => `${lines} lines were dropped`,
	});
	return {
		/** `line` is cleaned and redacted. Never throws, never waits. */
		write(server: string, line: string): void {
			file.write(`${new Date(clock.now()).toISOString()} [${server}] ${line}`);
		},
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}
