import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import type {Emit} from '../../core/events.ts';
import {
	captureConsole,
	createLogger,
	type LogRecord,
	readLogLine,
	logLine,
} from '../../core/log.ts';
import {createLineFile, type LineFileOptions, refuseSymlink} from '../../core/own-files.ts';
import {createRedact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import type {GatewayWorld} from '../rooms.ts';

/** Opens the log of a gateway. `secrets` is called for every line, as `createRedact` says. */
export function openLog(
	{clock, paths, onLog}: GatewayWorld,
	{emit, secrets}: {readonly emit: Emit; readonly secrets: () => readonly string[]},
) {
	const file = createLogFile(paths.gatewayLog);
	const records = newestRecords(paths.gatewayLog, clock.now() - restoredMs);
	if (records.length > 0) {
		emit({type: 'log-restored', at: clock.now(), records});
	}

	const redact = createRedact(secrets);
	const log = createLogger({
		clock,
		redact,
		write(record) {
			file.write(record);
			onLog?.(record);
			emit({type: 'log-written', at: record.at, record});
		},
	});
	return {log, redact, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]()};
}

/** Older records are left out: rows show a time of day without the date. */
const restoredMs = 12 * 3_600_000;
const restoredBytes = 128 * 1024;
const restoredRecords = 500;

/** The newest records since `since` from the last part of the file at `path`: what came before a crash is what a person looks for. */
function newestRecords(path: string, since: number): readonly LogRecord[] {
	try {
		const fd = openSync(path, 'r');
		try {
			const start = Math.max(0, fstatSync(fd).size - restoredBytes);
			const buffer = Buffer.alloc(restoredBytes);
			const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, restoredBytes, start));
			// The first line may be cut off, and is then no record.
			return text
				.split('\n')
				.flatMap(line => readLogLine(line) ?? [])
				.filter(({at}) => at >= since)
				.slice(-restoredRecords);
		} finally {
			closeSync(fd);
		}
	} catch {
		// The file is missing, or unreadable: the first write reports that.
		return [];
	}
}

/** A stranger may cause any number of library warnings. */
const maxLines = 20;
const minuteMs = 60_000;

/** Logs what libraries write to `console`, at most 20 lines a minute, for debugging. */
export function logConsole({log, clock}: Pick<World, 'clock' | 'log'>): Disposable {
	let start = -Infinity;
	let lines = 0;
	return captureConsole(text => {
		const now = clock.monotonic();
		if (now - start >= minuteMs) {
			start = now;
			lines = 0;
		}

		lines += 1;
		if (lines <= maxLines) {
			log.debug('A library says', {text});
		}
	});
}

/** Together with two rotated files, a log takes at most three times `maxBytes`. */
export const logBounds: Omit<LineFileOptions, 'describeLost'> = {
	maxBytes: 16 * 1024 * 1024,
	kept: 2,
	maxBacklog: 5000,
};

/** Appends records to a file, one line each. @see createLineFile */
function createLogFile(path: string) {
	// Refused only at the start, where it can be reported; a link planted later silently loses lines.
	refuseSymlink(path);
	const file = createLineFile(path, {
		...logBounds,
		describeLost: lines => `${lines} log lines could not be written`,
	});
	return {
		write: (record: LogRecord) => file.write(logLine(record)),
		[Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
	};
}
