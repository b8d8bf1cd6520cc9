import {once} from 'node:events';
import {type FileHandle, open, stat} from 'node:fs/promises';
import {type Clock, sleep} from '../../core/clock.ts';
import {codeOf} from '../../core/errors.ts';
import {jsonLine} from '../../core/json.ts';
import {logLine, isAtLeast, type LogLevel, type LogRecord, readLogLine} from '../../core/log.ts';
import {escapeBlock} from '../../core/untrusted.ts';
import {logBounds} from '../../gateway/logs/open-log.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';

/** Selects records; all given conditions must hold. */
type LogFilter = {
	/** The lowest level. */
	readonly level?: LogLevel;
	readonly room?: readonly string[];
	readonly run?: number;
	readonly delivery?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
};

export type LogOptions = LogFilter & {
	/** The most past records; absent: 200, or with `since` 100,000. */
	readonly lines?: number;
	readonly follow?: boolean;
	readonly json?: boolean;
};

const maxLogLines = 100_000;
const usualLines = 200;

/** Whether a record is selected. */
const passesLog = (
	{at, level, source, fields}: LogRecord,
	{level: least = 'debug', room, run, delivery, since = -Infinity}: LogFilter,
): boolean =>
	isAtLeast(level, least) &&
	(room?.includes(source) ?? true) &&
	(run === undefined || fields['run'] === run) &&
	(delivery === undefined || String(fields['delivery']) === delivery) &&
	at >= since;

/** Prints the gateway's log including rotated files, and new records. `follow` ends on a signal, or when the reader is gone. */
export async function showLogs(
	context: Context,
	{lines, follow, json, ...filter}: LogOptions,
): Promise<void> {
	const path = context.paths().gatewayLog;
	const count = lines ?? (filter.since === undefined ? usualLines : maxLogLines);
	const read = (line: string): string | undefined => {
		const record = readLogLine(line);
		return record && passesLog(record, filter) ? shown(record, json === true) : undefined;
	};

	const isGone = new AbortController();
	context.stdout.on('error', () => {
		isGone.abort();
	});
	const write = async (line: string) => {
		if (!isGone.signal.aborted && !context.stdout.write(`${line}\n`)) {
			// Applies back-pressure: nothing accumulates for a slow reader.
			await once(context.stdout, 'drain', {signal: isGone.signal}).catch(() => {});
		}
	};

	const log = await openLogFile(path);
	for (const line of await past({path, log, read, count})) {
		// oxlint-disable-next-line no-await-in-loop -- lines have an order
		await write(line);
	}

	if (follow !== true) {
		await log?.[Symbol.asyncDispose]();
		if (!log) {
			tell(context, `No log yet: a gateway writes "${path}"`);
		}

		return;
	}

	using stop = whenAskedToStop(context);
	void stop.asked.then(() => {
		context.exit(130);
		isGone.abort();
		return undefined;
	});
	for await (const line of followLog(path, log, {clock: context.clock, signal: isGone.signal})) {
		const text = read(line);
		if (text !== undefined) {
			await write(text);
		}
	}
}

const shown = (record: LogRecord, json: boolean): string =>
	json ? jsonLine(record) : escapeBlock(logLine(record), {maxLength: 64 * 1024, maxLines: 1});

type Past = {
	readonly path: string;
	readonly log: OpenLog | undefined;
	readonly read: (line: string) => string | undefined;
	readonly count: number;
};

/** The newest requested lines, oldest first; opens rotated files while there are too few. */
async function past({path, log, read, count}: Past): Promise<readonly string[]> {
	let found = log ? await lastOf(log, read, count) : [];
	for (let index = 1; index <= logBounds.kept && found.length < count; index += 1) {
		// oxlint-disable-next-line no-await-in-loop -- older files only while there are too few lines
		await using older = await openLogFile(`${path}.${index}`);
		if (older) {
			// oxlint-disable-next-line no-await-in-loop
			found = [...(await lastOf(older, read, count - found.length)), ...found];
		}
	}

	return found;
}

const chunkBytes = 64 * 1024;
/** A longer line is cut; svc's logs have none. */
const maxLineLength = 64 * 1024;

/** How often a followed log is read, in milliseconds. */
const lookMs = 250;

/** A file of lines, read as it grows. */
type OpenLog = AsyncDisposable & {
	/** The complete lines that were not read yet. */
	lines(): AsyncGenerator<string, void>;
	/** Whether `path` is another file by now. */
	isSetAside(): Promise<boolean>;
};

/** Opens a log; `undefined` if it does not exist. */
export async function openLogFile(path: string): Promise<OpenLog | undefined> {
	let file: FileHandle;
	try {
		file = await open(path, 'r');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}

	const buffer = Buffer.alloc(chunkBytes);
	const decoder = new TextDecoder();
	let position = 0;
	let rest = '';
	return {
		async *lines() {
			for (;;) {
				// Sequential, because lines have an order.
				// oxlint-disable-next-line no-await-in-loop
				const {bytesRead} = await file.read(buffer, 0, chunkBytes, position);
				if (bytesRead === 0) {
					return;
				}

				position += bytesRead;
				const parts = (rest + decoder.decode(buffer.subarray(0, bytesRead), {stream: true})).split(
					'\n',
				);
				rest = (parts.pop() ?? '').slice(0, maxLineLength);
				yield* parts;
			}
		},
		async isSetAside() {
			try {
				const [mine, now] = await Promise.all([file.stat(), stat(path)]);
				return mine.ino !== now.ino || now.size < position;
			} catch {
				// Between rotation and the new file there is none.
				return false;
			}
		},
		[Symbol.asyncDispose]: async () => file.close(),
	};
}

/** The last `count` results of `read` over the lines of `log`, without empty results. */
async function lastOf<Item>(
	log: OpenLog,
	read: (line: string) => Item | undefined,
	count: number,
): Promise<readonly Item[]> {
	let last: Item[] = [];
	for await (const line of log.lines()) {
		const item = read(line);
		if (item !== undefined) {
			last.push(item);
			// Trimmed occasionally, not for each line.
			last = last.length > 2 * count ? last.slice(-count) : last;
		}
	}

	return last.slice(-count);
}

/** The lines added to the log at `path` from now on, across rotation; `log` is the file read before, if it existed. Ends when `signal` aborts. */
export async function* followLog(
	path: string,
	log: OpenLog | undefined,
	{clock, signal}: {readonly clock: Clock; readonly signal: AbortSignal},
): AsyncGenerator<string, void> {
	let current = log;
	try {
		while (!signal.aborted) {
			// Checked before reading: lines added to the old file before its rotation are then read.
			// oxlint-disable-next-line no-await-in-loop -- one file after the other
			const isSetAside = (await current?.isSetAside()) === true;
			yield* current?.lines() ?? [];
			if (isSetAside) {
				// oxlint-disable-next-line no-await-in-loop
				await current?.[Symbol.asyncDispose]();
			} else {
				// oxlint-disable-next-line no-await-in-loop
				await sleep(clock, lookMs, signal).catch(() => {});
			}

			// oxlint-disable-next-line no-await-in-loop
			current = isSetAside || !current ? await openLogFile(path) : current;
		}
	} finally {
		await current?.[Symbol.asyncDispose]();
	}
}
