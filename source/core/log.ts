import type {Clock} from './clock.ts';
import type {Redact} from './redact.ts';
import {escapeLine} from './untrusted.ts';

/** The gravest first. `note`: nothing is wrong, and the person who runs the gateway wants to know it: a decision, an answer that goes nowhere else, a start. */
export const logLevels = ['error', 'warn', 'note', 'info', 'debug'] as const;

export type LogLevel = (typeof logLevels)[number];

/** Whether a person who looks at the log sees it at once. */
export const matters = (level: LogLevel): boolean => isAtLeast(level, 'note');

/** Whether a record is at least as grave as `least`. */
export const isAtLeast = (level: LogLevel, least: LogLevel): boolean =>
	logLevels.indexOf(level) <= logLevels.indexOf(least);

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
	note(message: string, fields?: LogFields): void;
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

/** A logger that says nothing. */
export const silentLogger: Logger = {
	debug() {},
	info() {},
	note() {},
	warn() {},
	error() {},
	from: () => silentLogger,
};
