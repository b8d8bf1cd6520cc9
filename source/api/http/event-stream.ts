import type {ServerResponse} from 'node:http';
import {type Clock, createDeadline} from '../../core/clock.ts';
import {cutStalled} from './cut-stalled.ts';

/** An answer as server-sent events. It has only `data:` lines, since comments, `id:` and `retry:` break clients in use, and event names only for clients that expect them. */
export type EventStream = ReturnType<typeof createEventStream>;

const keepAliveMs = 5000;

/** A client that reads nothing for this long is cut: unread data occupies memory. */
const stalledMs = 60_000;

const headers = {
	'Content-Type': 'text/event-stream; charset=utf-8',
	'Cache-Control': 'no-cache',
	// Keeps nginx from buffering the stream.
	'X-Accel-Buffering': 'no',
} as const;

/**
 * Begins a stream of server-sent events on `response`. @param more further headers
 *
 * @see manual/chat-api.md#streaming
 */
export function createEventStream(
	response: ServerResponse,
	{clock, more}: {readonly clock: Clock; readonly more: Readonly<Record<string, string>>},
) {
	let keepAlive: (() => {readonly data: string; readonly event?: string}) | undefined;
	let isOver = false;
	const silence = createDeadline(clock, () => {
		// A slow client still has data to read. The keep-alive event is created only if it is sent, since it may be numbered.
		const beat = response.writableNeedDrain ? undefined : keepAlive?.();
		if (beat && !isOver) {
			write(beat.data, beat.event);
		}

		wait();
	});
	const wait = () => {
		if (keepAlive && !isOver) {
			silence.move(keepAliveMs);
		}
	};
	const over = () => {
		isOver = true;
		silence[Symbol.dispose]();
	};
	if (response.closed) {
		// The client left before the stream began, so there will be no `close` event, and writers would wait forever.
		over();
	} else {
		response.once('close', over);
		response.writeHead(200, {...headers, ...more});
		response.flushHeaders();
	}

	/** Shared by all concurrent writers. */
	let draining: Promise<void> | undefined;
	const drained = async (): Promise<void> => {
		if (draining) {
			return draining;
		}

		const {promise, resolve} = Promise.withResolvers<void>();
		draining = promise;
		const cancelStall = clock.after(stalledMs, () => response.destroy());
		const end = () => {
			cancelStall();
			response.off('drain', end);
			response.off('close', end);
			draining = undefined;
			resolve();
		};
		response.on('drain', end);
		response.on('close', end);
		return promise;
	};

	const write = (data: string, event?: string) =>
		response.write(
			event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`,
		);

	return {
		/** Writes one event. Returns a promise that resolves when more may be written (back-pressure), or `undefined` when that is at once. Does nothing once the stream has ended. */
		send(data: string, event?: string): Promise<void> | undefined {
			if (isOver) {
				return undefined;
			}

			wait();
			return write(data, event) ? undefined : drained();
		},
		/** Sets what to send after five seconds of silence. */
		keepAlive(data: () => {readonly data: string; readonly event?: string}): void {
			keepAlive = data;
			wait();
		},
		end(): void {
			if (!isOver) {
				over();
				response.end();
				// Also for less unread data than would cause back-pressure.
				cutStalled(response, response.writableLength, clock);
			}
		},
	};
}
