import {codeOf} from '../../core/errors.ts';
import type {GatewayEvent} from '../../core/events.ts';
import {jsonLine} from '../../core/json.ts';
import {eventLine} from './event-line.ts';
import type {LineFormat} from './output-mode.ts';

/** The parts of a stream that the writer needs. */
type LineStream = Pick<
	NodeJS.WritableStream & {readonly writableLength: number},
	'write' | 'on' | 'writableLength'
>;

export type LineWriter = {
	/** Writes the lines of `events`. Never throws, never blocks. */
	readonly write: (events: readonly GatewayEvent[]) => void;
	/** Settles when the reader has closed the stream (EPIPE), or it failed otherwise. */
	readonly closed: Promise<{readonly code: string}>;
	[Symbol.dispose](): void;
};

export type LineWriterOptions = {
	/** Receives results: deliveries and ended runs; with JSON every event. */
	readonly stream: LineStream;
	/** Receives other lines; absent: `stream`. */
	readonly notices?: LineStream;
	readonly format: LineFormat;
};

/** With this many bytes waiting, the reader is too slow. */
const maxWaitingBytes = 1_048_576;

/**
 * Writes one line per event. `compact`: `15:04:02 gh-review pull_request 202 accepted 38ms d7f3a1` for received events and ended runs, notices separately. `json`:
 * each event as one JSON object. `quiet`: only what needs a person. Lines for a slow reader are dropped and counted.
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
		// The answer comes whole with the run's transcript; its pieces are for those who watch.
		if (event.type === 'run-said') {
			return;
		}

		if (format === 'json') {
			put(stream, jsonLine(event));
			return;
		}

		const line = eventLine(event);
		if (line && event.type === 'jobs-changed') {
			// Repeated at every tick of a schedule; a person only needs changes.
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
			// Keeps the error listeners: a broken pipe may be reported after the last line, and must not end the process.
			open = false;
		},
	};
}

const droppedLine = (format: LineFormat, count: number) =>
	format === 'json'
		? jsonLine({type: 'lines-dropped', count})
		: `(${count} lines dropped: the reader is too slow)`;
