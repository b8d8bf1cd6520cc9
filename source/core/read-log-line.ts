import type {LogLevel, LogRecord} from './log.ts';

/** A line that is longer was not written by the log; the rest of it is not looked into. */
const maxLength = 64 * 1024;

/** Fields that are read of a line: each looks through the line once. */
const maxFields = 64;

const head =
	/^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z) (debug|info|note|warn|error) {1,2}(\S{1,64}) +(.*)$/s;
const fact = / ([A-Za-z_][\w-]{0,63})=("(?:[^"\\]|\\.)*"|[\w./:@#+-]+)$/;

/** The record of a line that `logLine` wrote; `undefined` for any other line. What stands at the end as `key=value` counts as a field. */
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

	// The pattern lets no other level through.
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
