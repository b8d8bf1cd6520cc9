/**
 * The only source of time and of timers. Everything else takes a `Clock`, so that tests move time
 * by hand and nothing sleeps. All values are milliseconds.
 */
export type Clock = {
	/** Milliseconds since 1970, as the wall clock says it; may jump. */
	now(): number;
	/** Milliseconds from an arbitrary start; never goes back. For durations. */
	monotonic(): number;
	/**
	 * Calls `callback` once after `delayMs` (0 to 2^31-1; more is cut). Returns the cancellation.
	 * The timer keeps the process alive.
	 */
	after(delayMs: number, callback: () => void): () => void;
};

const maxTimerMs = 2 ** 31 - 1;

const nothing = () => {};

export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after(delayMs, callback) {
		const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), maxTimerMs));
		return () => {
			clearTimeout(timer);
		};
	},
};

/**
 * Resolves after `delayMs`. Rejects with the reason of `signal` when that aborts first; the timer
 * and the listener are gone either way.
 */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await new Promise<void>((resolve, reject) => {
		const onAbort = () => {
			cancel();
			reject(signal?.reason);
		};

		const cancel = clock.after(delayMs, () => {
			signal?.removeEventListener('abort', onAbort);
			resolve();
		});
		signal?.addEventListener('abort', onAbort, {once: true});
	});
}

/**
 * Calls `task` every `intervalMs` until the returned function is called. The next call is planned
 * only after the last has settled, so a slow task never overlaps itself; `task` must not reject.
 */
export function every(
	clock: Clock,
	intervalMs: number,
	task: () => void | Promise<void>,
): () => void {
	let stopped = false;
	let cancel = nothing;
	const plan = () => {
		cancel = clock.after(intervalMs, () => {
			void (async () => {
				await task();
				if (!stopped) {
					plan();
				}
			})();
		});
	};

	plan();
	return () => {
		stopped = true;
		cancel();
	};
}
