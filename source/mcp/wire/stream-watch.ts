import {AsyncLocalStorage} from 'node:async_hooks';
import type {Clock} from '../../core/clock.ts';

/** How long after its stream was lost a call may be saved by a new one; "fail within 3 s" (manual/tool-servers.md#states). */
const lossMs = 2500;

/** A pause that a server asks for longer than this is a loss. */
const maxRetryMs = 30_000;

/** What the fetch tells about the event streams that belong to one message. */
export type StreamWatch = {
	opened(): void;
	/** `retryMs`: the server has closed it itself and said when to ask again. */
	ended(retryMs: number | undefined): void;
	/** An event above the limit has ended it. */
	tooLarge(): void;
};

/** The watch of the streams that are opened here, which the SDK does not pass on. Follows its reconnections too. */
export const watchedStream = new AsyncLocalStorage<StreamWatch>();

/**
 * Watches the streams of one call: `onLost` is called once when none has been open for 2.5 s, or, when the server has announced a later return, that much
 * after it. Disposal ends the watch.
 */
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
