import type {ServerResponse} from 'node:http';
import {type Clock, createDeadline} from '../../core/clock.ts';
import {cutStalled} from './cut-stalled.ts';

/** An answer of server-sent events: `data:` lines alone, because comments, `id:` and `retry:` break clients that are in use, and names of events those that expect none. */
export type EventStream = ReturnType<typeof createEventStream>;

const keepAliveMs = 5000;

/** A client that takes nothing for so long is cut: what it does not read stays in memory. */
const stalledMs = 60_000;

const headers = {
	'Content-Type': 'text/event-stream; charset=utf-8',
	'Cache-Control': 'no-cache',
	// nginx gathers what it passes on, unless it is told not to.
	'X-Accel-Buffering': 'no',
} as const;

/**
 * Begins such an answer on `response`. @param more further headers
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
		// A slow client has something to read: no event is made that is not sent, since it may be numbered.
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
		// Who left before the first word is told of by nothing any more: who wrote would wait for good.
		over();
	} else {
		response.once('close', over);
		response.writeHead(200, {...headers, ...more});
		response.flushHeaders();
	}

	/** All who write meanwhile wait for the same. */
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
		/** Writes one event; nothing once the stream has ended. The promise: more may be written once it resolves, since a slow client must slow down the writer; without one, at once. */
		send(data: string, event?: string): Promise<void> | undefined {
			if (isOver) {
				return undefined;
			}

			wait();
			return write(data, event) ? undefined : drained();
		},
		/** What to send when nothing was for five seconds. */
		keepAlive(data: () => {readonly data: string; readonly event?: string}): void {
			keepAlive = data;
			wait();
		},
		end(): void {
			if (!isOver) {
				over();
				response.end();
				// Less may be left than would hold up who writes.
				cutStalled(response, response.writableLength, clock);
			}
		},
	};
}
