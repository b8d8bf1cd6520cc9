import type {Clock} from '../../core/clock.ts';

export type BehindClock = Clock & {
	/** How far it is behind, milliseconds. */
	behindMs(): number;
	/** Moves it on, at most to the present: what was due meanwhile happens now, once, as on a machine that slept. */
	leap(byMs: number): void;
};

type Timer = {readonly due: number; readonly callback: () => void; cancel: () => void};

/** A clock that goes as fast as `clock` and is `startMs` behind it until it leaps; when it has caught up it is the same. */
export function createBehindClock(clock: Clock, startMs: number): BehindClock {
	const timers = new Set<Timer>();
	let behindMs = startMs;
	const monotonic = () => clock.monotonic() + startMs - behindMs;

	const arm = (timer: Timer) => {
		timer.cancel = clock.after(timer.due - monotonic(), () => {
			timers.delete(timer);
			timer.callback();
		});
	};

	return {
		now: () => clock.now() - behindMs,
		monotonic,
		after(delayMs, callback) {
			const timer: Timer = {due: monotonic() + delayMs, callback, cancel() {}};
			timers.add(timer);
			arm(timer);
			return () => {
				timers.delete(timer);
				timer.cancel();
			};
		},
		behindMs: () => behindMs,
		leap(byMs) {
			behindMs = Math.max(0, behindMs - Math.max(0, byMs));
			const time = monotonic();
			const waiting = [...timers].toSorted((one, other) => one.due - other.due);
			for (const timer of waiting) {
				timer.cancel();
				// One that was called before may have cancelled it.
				if (timer.due > time && timers.has(timer)) {
					arm(timer);
				} else if (timers.delete(timer)) {
					timer.callback();
				}
			}
		},
	};
}
