import type {Clock} from '../core/clock.ts';

const windowMs = 60_000;

/** More names than routes; beyond it windows that have passed are forgotten. */
const maxWindows = 1000;

export type RateVerdict = {
	readonly ok: boolean;
	/** Requests of this window, this one included. */
	readonly count: number;
	/** Whole seconds until the next window, at least 1. */
	readonly retryAfterSeconds: number;
};

/** How much of a rate is used now. Milliseconds from now. */
export type RateUse = {
	readonly used: number;
	/** When it begins anew; 0: nothing is used. */
	readonly endsInMs: number;
	/** The start that was promised last; absent: what comes starts at once. */
	readonly promisedInMs?: number;
};

export type RateWindows = {
	/** Counts one request to `route`, of which `limit` may pass in a minute. */
	take(route: string, limit: number): RateVerdict;
	/** What was used of the window that runs now; counts nothing. */
	used(route: string): RateUse;
};

/**
 * Fixed windows of one minute per route, in memory. A window starts with the first request after the last one ended.
 *
 * @see manual/receiver.md#above-the-rate
 */
export function createRateWindows(clock: Clock): RateWindows {
	const windows = new Map<string, {endsAt: number; count: number}>();

	const open = (route: string, now: number) => {
		if (windows.size >= maxWindows) {
			for (const [name, {endsAt}] of windows) {
				if (endsAt <= now) {
					windows.delete(name);
				}
			}
		}

		const window = {endsAt: now + windowMs, count: 0};
		windows.set(route, window);
		return window;
	};

	return {
		used(route) {
			const endsInMs = (windows.get(route)?.endsAt ?? 0) - clock.monotonic();
			return endsInMs > 0
				? {used: windows.get(route)?.count ?? 0, endsInMs}
				: {used: 0, endsInMs: 0};
		},
		take(route, limit) {
			const now = clock.monotonic();
			const known = windows.get(route);
			const window = known && known.endsAt > now ? known : open(route, now);
			const ok = window.count < limit;
			if (ok) {
				window.count += 1;
			}

			return {
				ok,
				count: ok ? window.count : window.count + 1,
				retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
			};
		},
	};
}
