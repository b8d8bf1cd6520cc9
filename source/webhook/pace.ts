/** Length of a rate window, milliseconds. @see manual/receiver.md#above-the-rate */
export const windowMs = 60_000;

/** The newest start of a route and its window. Monotonic milliseconds. */
export type Pace = {
	readonly windowStartsAt: number;
	/** Starts in that window so far. */
	readonly used: number;
	/** The window was begun by a promise: what starts in it is spread evenly. */
	readonly isPromised: boolean;
	readonly startAt: number;
};

/**
 * When the next event of a route may start, so that no window of a minute holds more than `limit` starts and each starts no earlier than the one before. Pure. `pace` is what
 * the last call returned. Without a backlog a window begins with the event that comes after the last one ended, and its first `limit` events start at once; the k-th beyond them starts in the
 * window that is `ceil(k / limit)` ahead.
 *
 * @see manual/receiver.md#above-the-rate
 */
export function planStart(pace: Pace | undefined, limit: number, now: number): Pace {
	if (!pace || now >= pace.windowStartsAt + windowMs) {
		return {windowStartsAt: now, used: 1, isPromised: false, startAt: now};
	}

	const {windowStartsAt, used, isPromised, startAt} = pace;
	if (used < limit) {
		const place = isPromised ? windowStartsAt + (used * windowMs) / limit : now;
		// A limit that was raised makes places denser: nobody overtakes.
		return {...pace, used: used + 1, startAt: Math.max(now, place, startAt)};
	}

	const next = windowStartsAt + windowMs;
	return {windowStartsAt: next, used: 1, isPromised: true, startAt: next};
}
