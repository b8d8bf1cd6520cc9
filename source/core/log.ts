import type {Clock} from './clock.ts';
import type {Redact} from './redact.ts';
import {cell} from './untrusted.ts';

/** The gravest first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];

/** One record. `message` and `fields` are redacted and cleaned: they may be shown and stored as they are. */
export type LogRecord = {
	readonly at: number;
	readonly level: LogLevel;
	/** The room that speaks: `webhook`, `agent`, … */
	readonly source: string;
	readonly message: string;
	readonly fields: Readonly<Record<string, string | number | boolean>>;
};

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Says things for the person who runs the gateway. Never throws, never waits. */
export type Logger = {
	debug(message: string, fields?: LogFields): void;
	info(message: string, fields?: LogFields): void;
	warn(message: string, fields?: LogFields): void;
	error(message: string, fields?: LogFields): void;
	/** The same log under another source name. */
	from(source: string): Logger;
};

const maxMessageLength = 2000;

/** A logger that redacts by value, cleans for a terminal, and hands each record to `write`. */
export function createLogger(
	{
		clock,
		redact,
		write,
	}: {readonly clock: Clock; readonly redact: Redact; readonly write: (record: LogRecord) => void},
	source = 'gateway',
): Logger {
	const clean = (text: string) => cell(redact(text), maxMessageLength).text;
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
		warn: say('warn'),
		error: say('error'),
		from: name => createLogger({clock, redact, write}, name),
	};
}

/** A logger that says nothing. */
export const silentLogger: Logger = {
	debug() {},
	info() {},
	warn() {},
	error() {},
	from: () => silentLogger,
};
