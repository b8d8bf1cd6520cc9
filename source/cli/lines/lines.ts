import {codeOf} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {jsonLine} from '../../core/json.ts';
import {eventLine} from './event-line.ts';
import type {LineFormat} from './output-mode.ts';

/** A stream as the line writer needs it. */
type LineStream = Pick<
	NodeJS.WritableStream & {readonly writableLength: number},
	'write' | 'on' | 'writableLength'
>;

export type LineWriter = {
	/** Writes the lines of `events`. Never throws, never waits. */
	readonly write: (events: readonly GatewayEvent[]) => void;
	/** Settles when the reader of the lines has gone (EPIPE), or the stream broke with another error. */
	readonly closed: Promise<{readonly code: string}>;
	[Symbol.dispose](): void;
};

export type LineWriterOptions = {
	/** Results: deliveries and ended runs; JSON of every event. */
	readonly stream: LineStream;
	/** What is no result; `stream` when absent. */
	readonly notices?: LineStream;
	readonly format: LineFormat;
};

/** When so much waits in a stream, its reader is too slow to be waited for. */
const maxWaitingBytes = 1_048_576;

/**
 * Writes one line for each event. `compact`: `15:04:02 gh-review pull_request 202 accepted 38ms d7f3a1` for what was received
 * and for runs that ended, notices apart. `json`: each event as one JSON object. `quiet`: only what needs a person. Lines for a
 * reader that does not keep up are dropped and counted.
 */
export function createLineWriter({
	stream,
	notices = stream,
	format,
}: LineWriterOptions): LineWriter {
	const {promise: closed, resolve} = Promise.withResolvers<{readonly code: string}>();
	let open = true;
	let dropped = 0;
	let jobsSaid = '';

	const onError = (error: unknown) => {
		open = false;
		resolve({code: codeOf(error)});
	};

	const put = (target: LineStream, line: string) => {
		if (!open) {
			return;
		}

		if (target.writableLength > maxWaitingBytes) {
			dropped++;
			return;
		}

		if (dropped > 0) {
			const count = dropped;
			dropped = 0;
			target.write(`${droppedLine(format, count)}\n`);
		}

		target.write(`${line}\n`);
	};

	const writeEvent = (event: GatewayEvent) => {
		// It comes whole with its run's transcript; the pieces are for those who watch.
		if (event.type === 'run-said') {
			return;
		}

		if (format === 'json') {
			put(stream, jsonLine(event));
			return;
		}

		const line = eventLine(event);
		if (line && event.type === 'jobs-changed') {
			// It is reported at every tick of a schedule; a person reads what it says anew.
			const [, ...said] = line.text.split(' ');
			if (said.join(' ') === jobsSaid) {
				return;
			}

			jobsSaid = said.join(' ');
		}

		if (line && (format === 'compact' || line.important)) {
			put(line.notice ? notices : stream, line.text);
		}
	};

	for (const each of new Set([stream, notices])) {
		each.on('error', onError);
	}

	return {
		write(events) {
			for (const event of events) {
				writeEvent(event);
			}
		},
		closed,
		[Symbol.dispose]() {
			// The listeners stay: a broken pipe may be reported after the last line and must not end the process.
			open = false;
		},
	};
}

const droppedLine = (format: LineFormat, count: number) =>
	format === 'json'
		? jsonLine({type: 'lines-dropped', count})
		: `(${count} lines dropped: the reader is too slow)`;
