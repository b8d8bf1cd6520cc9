import {AsyncLocalStorage} from 'node:async_hooks';
import type {Clock} from '../../core/clock.ts';

/** How long after its stream was lost a call may be rescued by a new one; "fail within 3 s" (manual/tool-servers.md#states). */
const lossMs = 2500;

/** A reconnection delay longer than this counts as a loss. */
const maxRetryMs = 30_000;

/** Events of the streams that belong to one message. */
export type StreamWatch = {
	opened(): void;
	/** `retryMs`: the server closed the stream itself, with this reconnection delay. */
	ended(retryMs: number | undefined): void;
	/** An event above the limit ended the stream. */
	tooLarge(): void;
};

/** The watch for streams opened in this context, which the SDK does not pass on. Covers its reconnections too. */
export const watchedStream = new AsyncLocalStorage<StreamWatch>();

/** Watches the streams of one call: calls `onLost` once none has been open for 2.5 s, or, if the server announced a delay, 2.5 s after that. Disposing ends the watch. */
export function watchStreams({
	clock,
	onLost,
	onTooLarge,
}: {
	readonly clock: Clock;
	readonly onLost: () => void;
	readonly onTooLarge: () => void;
}): StreamWatch & Disposable {
	let open = 0;
	let isOver = false;
	let cancel: (() => void) | undefined;

	return {
		opened() {
			open++;
			cancel?.();
		},
		ended(retryMs) {
			open--;
			if (isOver || open > 0) {
				return;
			}

			cancel?.();
			const pauseMs = retryMs !== undefined && retryMs <= maxRetryMs ? retryMs : 0;
			cancel = clock.after(pauseMs + lossMs, onLost);
		},
		tooLarge() {
			if (!isOver) {
				onTooLarge();
			}
		},
		[Symbol.dispose]() {
			isOver = true;
			cancel?.();
		},
	};
}
