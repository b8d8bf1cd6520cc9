import type {Clock} from '../../core/clock.ts';
import {nameOfRoute} from '../counters.ts';
import type {RouteKey} from '../port.ts';
import type {Paces, RateUse} from './port.ts';

/** More than there are routes; beyond it, routes without a backlog are dropped. */
const maxPaces = 1000;

type Step = {readonly pace: Pace; previous: Step | undefined; isGivenBack: boolean};

/** `Paces` of a sole process, in memory. `promised`: for each route, milliseconds until the last start promised earlier. */
export function createPaces(
	clock: Clock,
	promised: ReadonlyArray<RouteKey & {readonly inMs: number}> = [],
): Paces {
	const steps = new Map<string, Step>();
	for (const {inMs, ...route} of promised) {
		const startAt = clock.monotonic() + inMs;
		const pace = {windowStartsAt: startAt, used: 1, isPromised: true, startAt};
		steps.set(nameOfRoute(route), {pace, previous: undefined, isGivenBack: false});
	}

	const forgetEnded = (now: number) => {
		for (const [key, {pace}] of steps) {
			if (now >= pace.windowStartsAt + windowMs) {
				steps.delete(key);
			}
		}
	};

	const plan = (key: string, limit: number) => {
		const now = clock.monotonic();
		const previous = steps.get(key);
		if (!previous && steps.size >= maxPaces) {
			forgetEnded(now);
		}

		return {previous, pace: planStart(previous?.pace, limit, now), now};
	};

	return {
		async enter(route, limit) {
			const key = nameOfRoute(route);
			const {pace, now} = plan(key, limit);
			if (pace.startAt > now) {
				return undefined;
			}

			steps.set(key, {pace, previous: undefined, isGivenBack: false});
			return pace.used;
		},
		async used(route, limit) {
			return rateUseOf(steps.get(nameOfRoute(route))?.pace, limit, clock.monotonic());
		},
		async promise(route, limit) {
			const key = nameOfRoute(route);
			const {previous, pace, now} = plan(key, limit);
			const step: Step = {pace, previous, isGivenBack: false};
			steps.set(key, step);
			return {
				inMs: pace.startAt - now,
				async keep() {
					step.previous = undefined;
				},
				async giveBack() {
					step.isGivenBack = true;
					let newest = steps.get(key);
					while (newest?.isGivenBack && newest.previous) {
						newest = newest.previous;
						steps.set(key, newest);
					}
				},
			};
		},
	};
}

/** Length of a rate window, milliseconds. @see manual/receiver.md#above-the-rate */
export const windowMs = 60_000;

/** The newest planned start of a route, and the rate window that it belongs to. Times are milliseconds of the monotonic clock in SQLite, and of the database's clock (since 1970) in PostgreSQL. */
export type Pace = {
	readonly windowStartsAt: number;
	/** Number of starts in that window so far. */
	readonly used: number;
	/** The window was begun by a promised start: its starts are spread evenly. */
	readonly isPromised: boolean;
	readonly startAt: number;
};

/**
 * Plans when the next event of a route starts, so that no window of a minute contains more than `limit` starts and events stay in order. Pure. `pace` is the result of the
 * last call. Without a backlog, a window begins with the first event after the last window, and its first `limit` events start at once; the k-th one beyond them starts in
 * the window that is `ceil(k / limit)` ahead.
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
		// A raised limit makes places denser; no event overtakes another.
		return {...pace, used: used + 1, startAt: Math.max(now, place, startAt)};
	}

	const next = windowStartsAt + windowMs;
	return {windowStartsAt: next, used: 1, isPromised: true, startAt: next};
}

/** How much of the rate is used in the minute at `now`. Pure. */
export function rateUseOf(pace: Pace | undefined, limit: number, now: number): RateUse {
	if (!pace || now >= pace.windowStartsAt + windowMs) {
		return {used: 0, endsInMs: 0};
	}

	const {windowStartsAt, startAt, used} = pace;
	const isAhead = windowStartsAt > now;
	return {
		used: isAhead ? limit : used,
		// The minutes before a promised window are full.
		endsInMs: isAhead
			? (windowStartsAt - now) % windowMs || windowMs
			: windowStartsAt + windowMs - now,
		...(startAt > now && {promisedInMs: startAt - now}),
	};
}
