import type {Clock} from '../../core/clock.ts';
import {nameOfRoute} from '../counters.ts';
import {windowMs} from './paces.ts';
import type {RateVerdict, RateWindows} from './port.ts';

/** More than there are routes; beyond it, windows that have ended are dropped. */
const maxWindows = 1000;

/** The answer to a request. `used`: requests that passed in this window, including this one if it is `ok`. */
export const verdictOf = (ok: boolean, used: number, endsInMs: number): RateVerdict => ({
	ok,
	count: ok ? used : used + 1,
	retryAfterSeconds: Math.max(1, Math.ceil(endsInMs / 1000)),
});

/** `RateWindows` of the only process, in memory. */
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
		async used(route) {
			const window = windows.get(nameOfRoute(route));
			const endsInMs = (window?.endsAt ?? 0) - clock.monotonic();
			return endsInMs > 0 ? {used: window?.count ?? 0, endsInMs} : {used: 0, endsInMs: 0};
		},
		async take(route, limit) {
			const now = clock.monotonic();
			const name = nameOfRoute(route);
			const known = windows.get(name);
			const window = known && known.endsAt > now ? known : open(name, now);
			const ok = window.count < limit;
			if (ok) {
				window.count += 1;
			}

			return verdictOf(ok, window.count, window.endsAt - now);
		},
	};
}
