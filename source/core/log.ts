import {formatWithOptions} from 'node:util';
import type {Clock} from './clock.ts';
import type {Redact} from './redact.ts';
import {escapeLine} from './untrusted.ts';

/** Most severe first. `note`: not a problem, but of interest to the operator: a decision, an answer that goes only to the log, a start. */
export const logLevels = ['error', 'warn', 'note', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Whether the log shows records of this level by default. */
export const matters = (level: LogLevel): boolean => isAtLeast(level, 'note');

/** Whether `level` is at least as severe as `least`. */
export const isAtLeast = (level: LogLevel, least: LogLevel): boolean =>
	logLevels.indexOf(level) <= logLevels.indexOf(least);

/** One record. `message` and `fields` are redacted and cleaned: safe to show and to store. */
export type LogRecord = {
	readonly at: number;
	readonly level: LogLevel;
	/** The room that wrote it: `webhook`, `agent`, … */
	readonly source: string;
	readonly message: string;
	readonly fields: Readonly<Record<string, string | number | boolean>>;
};

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes records for the operator. Never throws, never waits. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>> & {
	/** The same logger under another source name. */
	from(source: string): Logger;
};

const maxMessageLength = 2000;

/** A logger that redacts and cleans each record before it passes it to `write`. */
export function createLogger(
	{
		clock,
		redact,
		write,
	}: {readonly clock: Clock; readonly redact: Redact; readonly write: (record: LogRecord) => void},
	source = 'gateway',
): Logger {
	const clean = (text: string) => escapeLine(redact(text), maxMessageLength);
	const say =
		(level: LogLevel) =>
		(message: string, fields: LogFields = {}) => {
			const cleaned: Record<string, string | number | boolean> = {};
			for (const [key, value] of Object.entries(fields)) {
				if (value !== undefined) {
					cleaned[key] = typeof value === 'string' ? clean(value) : value;
				}
			}

			write({at: clock.now(), level, source, message: clean(message), fields: cleaned});
		};

	return {
		debug: say('debug'),
		info: say('info'),
		note: say('note'),
		warn: say('warn'),
		error: say('error'),
		from: name => createLogger({clock, redact, write}, name),
	};
}

/** A logger that discards its records. */
export const silentLogger: Logger = {
	debug() {},
	info() {},
	note() {},
	warn() {},
	error() {},
	from: () => silentLogger,
};

/** `2026-11-20T15:04:02.870Z warn  webhook  Cannot … route=gh-review`: one record as one line, without the line end. */
export function logLine({at, level, source, message, fields}: LogRecord): string {
	const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${quoted(value)}`);
	return `${new Date(at).toISOString()} ${level.padEnd(5)} ${source.padEnd(8)} ${message}${facts.join('')}`;
}

const quoted = (value: string | number | boolean): string =>
	typeof value === 'string' && !/^[\w./:@#+-]+$/.test(value)
		? JSON.stringify(value)
		: String(value);

/** Longest line that is parsed; the rest of a longer one is ignored. */
const maxLength = 64 * 1024;

/** Most fields parsed from a line: each costs one pass over it. */
const maxFields = 64;

const head =
	/^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z) (debug|info|note|warn|error) {1,2}(\S{1,64}) +(.*)$/s;
const fact = / ([A-Za-z_][\w-]{0,63})=("(?:[^"\\]|\\.)*"|[\w./:@#+-]+)$/;

/** Parses a line that `logLine` wrote; `undefined` for any other line. Every `key=value` at the end counts as a field. */
export function readLogLine(line: string): LogRecord | undefined {
	const [, time = '', level = '', source = '', rest = ''] =
		head.exec(line.slice(0, maxLength)) ?? [];
	const at = Date.parse(time);
	if (Number.isNaN(at)) {
		return undefined;
	}

	const fields: Array<readonly [string, string | number | boolean]> = [];
	let message = rest;
	while (fields.length < maxFields) {
		const found = fact.exec(message);
		if (!found) {
			break;
		}

		const [whole, key = '', value = ''] = found;
		fields.unshift([key, valueOf(value)]);
		message = message.slice(0, -whole.length);
	}

	// The pattern matches no other level.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	return {at, level: level as LogLevel, source, message, fields: Object.fromEntries(fields)};
}

function valueOf(text: string): string | number | boolean {
	if (text.startsWith('"')) {
		try {
			return String(JSON.parse(text));
		} catch {
			return text;
		}
	}

	if (text === 'true' || text === 'false') {
		return text === 'true';
	}

	return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

/** The methods of `console` that libraries call. */
const methods = ['debug', 'dir', 'error', 'info', 'log', 'trace', 'warn'] as const;

const maxTextLength = 2000;

/** Stack of receivers of captured text; only the newest is called. */
const hearers: Array<(text: string) => void> = [];

/**
 * Keeps text that libraries write to `console` off the terminal: it would disturb the screen, and may be untrusted. `hear` receives
 * at most 2,000 characters of it, raw, and must not throw. A later capture takes precedence until its disposal; the last disposal restores `console`.
 */
export function captureConsole(hear: (text: string) => void): Disposable {
	// A new function object: `hear` may be registered twice.
	const hearer = (text: string) => hear(text);

	if (hearers.length === 0) {
		replaceMethods();
	}

	hearers.push(hearer);
	return {
		[Symbol.dispose]() {
			const index = hearers.indexOf(hearer);
			if (index !== -1) {
				hearers.splice(index, 1);
			}

			if (hearers.length === 0) {
				restoreMethods();
			}
		},
	};
}

let originals: Partial<Console> = {};

const say = (...parts: readonly unknown[]) => {
	hearers.at(-1)?.(textOf(parts));
};

function replaceMethods(): void {
	originals = Object.fromEntries(methods.map(method => [method, console[method]]));
	Object.assign(console, Object.fromEntries(methods.map(method => [method, say])));
}

function restoreMethods(): void {
	Object.assign(console, originals);
}

/** Never throws: a value that cannot be converted to text must not make the library that logs it fail. */
function textOf(parts: readonly unknown[]): string {
	const short = parts.map(part => (typeof part === 'string' ? part.slice(0, maxTextLength) : part));
	try {
		return formatWithOptions(
			{depth: 1, maxArrayLength: 10, maxStringLength: 200, breakLength: Infinity},
			...short,
		).slice(0, maxTextLength);
	} catch {
		return 'something that cannot be shown';
	}
}
