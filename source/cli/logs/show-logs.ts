import {once} from 'node:events';
import {jsonLine} from '../../core/json-line.ts';
import {logLine} from '../../core/log-line.ts';
import type {LogLevel, LogRecord} from '../../core/log.ts';
import {readLogLine} from '../../core/read-log-line.ts';
import {block} from '../../core/untrusted.ts';
import {logBounds} from '../../gateway/logs/log-file.ts';
import type {Context} from '../console/context.ts';
import {tell} from '../console/print.ts';
import {whenAskedToStop} from '../console/signals.ts';
import {followLog, lastOf, openLogFile} from './log-files.ts';

/** Which records are asked for; all that is given must hold. */
export type LogFilter = {
	/** The least level. */
	readonly level?: LogLevel;
	readonly room?: readonly string[];
	readonly run?: number;
	readonly delivery?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
};

export type LogOptions = LogFilter & {
	/** At most so many records of the past; absent: 200, or with `since` 100,000. */
	readonly lines?: number;
	readonly follow?: boolean;
	readonly json?: boolean;
};

const maxLogLines = 100_000;
const usualLines = 200;

const ranks: Readonly<Record<LogLevel, number>> = {debug: 0, info: 1, warn: 2, error: 3};

/** Whether a record is asked for. */
export const passesLog = (
	{at, level, source, fields}: LogRecord,
	{level: least = 'debug', room, run, delivery, since = -Infinity}: LogFilter,
): boolean =>
	ranks[level] >= ranks[least] &&
	(room?.includes(source) ?? true) &&
	(run === undefined || fields['run'] === run) &&
	(delivery === undefined || String(fields['delivery']) === delivery) &&
	at >= since;

/** Prints the log of the gateway, with the files that were set aside, and what comes to it. `follow` ends by a signal, or when nobody reads any more. */
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
			// A slow reader is waited for, and nothing gathers meanwhile.
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
	json ? jsonLine(record) : block(logLine(record), {maxLength: 64 * 1024, maxLines: 1}).text;

/** The newest lines that are asked for, oldest first; files that were set aside are opened as long as there are too few. */
async function past({
	path,
	log,
	read,
	count,
}: {
	readonly path: string;
	readonly log: Awaited<ReturnType<typeof openLogFile>>;
	readonly read: (line: string) => string | undefined;
	readonly count: number;
}): Promise<readonly string[]> {
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
