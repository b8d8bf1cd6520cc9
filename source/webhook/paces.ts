import type {Clock} from '../core/clock.ts';
import {planStart, windowMs} from './pace.ts';
import type {Pace} from './pace.ts';
import type {RateUse} from './rate-window.ts';

/** More than there are routes; beyond it those without a backlog are forgotten. */
const maxPaces = 1000;

/** A start that was promised to one event: kept when the event was accepted, given back when it was not. */
export type Promised = {
	/** Milliseconds from now; 0: at once. */
	readonly inMs: number;
	keep(): void;
	giveBack(): void;
};

export type Paces = {
	/** Takes a start now. Its number in this minute; `undefined` when the next one is later. */
	enter(key: string, limit: number): number | undefined;
	/** What was used of the minute that runs now; takes nothing. */
	used(key: string, limit: number): RateUse;
	/** Promises the next start. */
	promise(key: string, limit: number): Promised;
	/** The newest start that was promised before this process began, milliseconds from now: what comes now starts behind it. */
	resume(key: string, inMs: number): void;
};

type Step = {readonly pace: Pace; previous: Step | undefined; isGivenBack: boolean};

/**
 * When events of `overflow: queue` routes start, in memory. A promise that is given back is used again unless a later one was kept; then its place stays empty, so that
 * nobody overtakes.
 *
 * @see manual/receiver.md#above-the-rate
 */
export function createPaces(clock: Clock): Paces {
	const steps = new Map<string, Step>();

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
		enter(key, limit) {
			const {pace, now} = plan(key, limit);
			if (pace.startAt > now) {
				return undefined;
			}

			steps.set(key, {pace, previous: undefined, isGivenBack: false});
			return pace.used;
		},
		used(key, limit) {
			const pace = steps.get(key)?.pace;
			const now = clock.monotonic();
			if (!pace || now >= pace.windowStartsAt + windowMs) {
				return {used: 0, endsInMs: 0};
			}

			const {windowStartsAt, startAt} = pace;
			const isLater = startAt > now;
			return {
				used: windowStartsAt > now ? limit : pace.used,
				// The minutes before one that was promised are full.
				endsInMs:
					windowStartsAt > now
						? (windowStartsAt - now) % windowMs || windowMs
						: windowStartsAt + windowMs - now,
				...(isLater && {promisedInMs: startAt - now}),
			};
		},
		promise(key, limit) {
			const {previous, pace, now} = plan(key, limit);
			const step: Step = {pace, previous, isGivenBack: false};
			steps.set(key, step);
			return {
				inMs: pace.startAt - now,
				keep() {
					step.previous = undefined;
				},
				giveBack() {
					step.isGivenBack = true;
					let newest = steps.get(key);
					while (newest?.isGivenBack && newest.previous) {
						newest = newest.previous;
						steps.set(key, newest);
					}
				},
			};
		},
		resume(key, inMs) {
			const startAt = clock.monotonic() + inMs;
			const pace = {windowStartsAt: startAt, used: 1, isPromised: true, startAt};
			steps.set(key, {pace, previous: undefined, isGivenBack: false});
		},
	};
}
