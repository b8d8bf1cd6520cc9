import type {LogRecord} from './log.ts';

/** `2026-11-20T15:04:02.870Z warn  webhook  Cannot … route=gh-review`: one record as one line, without the line end. */
export function logLine({at, level, source, message, fields}: LogRecord): string {
	const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${quoted(value)}`);
	return `${new Date(at).toISOString()} ${level.padEnd(5)} ${source.padEnd(8)} ${message}${facts.join('')}`;
}

const quoted = (value: string | number | boolean): string =>
	typeof value === 'string' && !/^[\w./:@#+-]+$/.test(value)
		? JSON.stringify(value)
		: String(value);
