/**
 * The only source of time and of timers. Everything else takes a `Clock`, so that tests move time
 * by hand and nothing sleeps. All values are milliseconds.
 */
export type Clock = {
	/** Wall clock, milliseconds since 1970; may jump. */
	now(): number;
	/** For durations: milliseconds since an arbitrary start; never goes back. */
	monotonic(): number;
	/**
	 * Calls `callback` once after `delayMs` (0 to 2^31-1; larger values are reduced to that). Returns a function that cancels the call.
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
		return () => clearTimeout(timer);
	},
};

/**
 * Resolves after `delayMs`. Rejects with the abort reason if `signal` aborts first. The timer
 * and the listener are removed in both cases.
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
 * Calls `task` every `intervalMs` until the returned function is called. The next call is scheduled
 * only after the last one has settled, so that calls never overlap; `task` must not reject.
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

/** A resettable timer: its callback runs at the moment that was set last. */
type Deadline = {
	/** Sets or replaces the moment: `ms` milliseconds from now. */
	move(ms: number): void;
	/** Unsets the moment, without the cost of cancelling the timer. */
	clear(): void;
	/** Unsets the moment, and cancels the timer. */
	[Symbol.dispose](): void;
};

/** Calls `onDue` at the moment. Postponing it is cheap enough for every token of a stream: the running timer is kept, and restarted if it fires before the moment. */
export function createDeadline(clock: Clock, onDue: () => void): Deadline {
	let due = Infinity;
	let timer: {readonly at: number; readonly cancel: () => void} | undefined;

	const look = () => {
		timer = undefined;
		const left = due - clock.monotonic();
		if (left > 0) {
			arm(left);
		} else {
			due = Infinity;
			onDue();
		}
	};

	const arm = (ms: number) => {
		if (ms !== Infinity) {
			timer = {at: clock.monotonic() + ms, cancel: clock.after(ms, look)};
		}
	};

	return {
		move(ms) {
			due = clock.monotonic() + ms;
			if (timer && timer.at > due) {
				timer.cancel();
				timer = undefined;
			}

			if (!timer) {
				arm(ms);
			}
		},
		clear() {
			due = Infinity;
		},
		[Symbol.dispose]() {
			due = Infinity;
			timer?.cancel();
			timer = undefined;
		},
	};
}

const withOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses a time with a UTC offset, `2026-12-24T18:00:00Z`, to milliseconds since 1970; `NaN` for any other text, such as a local time. */
export const timeWithOffset = (text: string): number =>
	withOffset.test(text) ? Date.parse(text) : Number.NaN;

/** The day of a time (milliseconds since 1970), in UTC: `2026-11-20`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/**
 * Counts work that is running or about to start. Tests and the drain at shutdown wait for a count of 0 instead of sleeping.
 */
export type Busy = {
	/** Counts one piece of work until the returned function is called; calling it again does nothing. */
	begin(): () => void;
	/** Resolves as soon as the count is 0. */
	idle(): Promise<void>;
	readonly count: number;
};

/** Wraps `action` so that only the first call runs it. */
export function once(action: () => void): () => void {
	let done = false;
	return () => {
		if (!done) {
			done = true;
			action();
		}
	};
}

export function createBusy(): Busy {
	let count = 0;
	const waiting: Array<() => void> = [];
	return {
		begin() {
			count++;
			return once(() => {
				count--;
				if (count === 0) {
					for (const resolve of waiting.splice(0)) {
						resolve();
					}
				}
			});
		},
		async idle() {
			if (count > 0) {
				await new Promise<void>(resolve => {
					waiting.push(resolve);
				});
			}
		},
		get count() {
			return count;
		},
	};
}

/** A timer with at most one pending call. After disposal, `set` does nothing. */
type Timer = {
	/** Calls `callback` after `delayMs`; cancels the pending call, if any. */
	set(delayMs: number, callback: () => void): void;
	/** Whether no call is pending and the timer is not disposed. */
	isFree(): boolean;
	readonly cancel: () => void;
	readonly [Symbol.dispose]: () => void;
};

/** A timer without a pending call. */
export function createTimer(clock: Pick<Clock, 'after'>): Timer {
	let stop: (() => void) | undefined;
	let isOver = false;
	const cancel = () => {
		stop?.();
		stop = undefined;
	};

	return {
		set(delayMs, callback) {
			cancel();
			if (!isOver) {
				stop = clock.after(delayMs, () => {
					stop = undefined;
					callback();
				});
			}
		},
		isFree: () => !isOver && stop === undefined,
		cancel,
		[Symbol.dispose]() {
			isOver = true;
			cancel();
		},
	};
}

/** Combines `stops` into one function, which also calls those added to `stops` later. */
export const stopAll = (stops: Iterable<() => void>) => (): void => {
	for (const stop of stops) {
		stop();
	}
};

/** Settles as `task` does, or rejects with the abort reason if `signal` aborts first; the task then goes on, and its result is ignored. */
export async function within<Value>(task: Promise<Value>, signal: AbortSignal): Promise<Value> {
	signal.throwIfAborted();
	const {promise: aborted, reject} = Promise.withResolvers<never>();
	const onAbort = () => reject(signal.reason);
	signal.addEventListener('abort', onAbort, {once: true});
	try {
		return await Promise.race([task, aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}
