import {type Clock, systemClock} from '../../../source/core/clock.ts';

export type JumpClock = Clock & {
	/** Moves the time forward at once; what has become due happens in this turn, in its order. */
	jump(byMs: number): void;
};

/** The machine's time, which processes and sockets need, with leaps over what nobody wants to wait for. */
export function createJumpClock(): JumpClock {
	type Timer = {readonly due: number; readonly callback: () => void; cancel: () => void};
	const timers = new Set<Timer>();
	let ahead = 0;

	const monotonic = () => systemClock.monotonic() + ahead;

	const arm = (timer: Timer) => {
		timer.cancel = systemClock.after(timer.due - monotonic(), () => {
			fire(timer);
		});
	};

	const fire = (timer: Timer) => {
		timer.cancel();
		if (timers.delete(timer)) {
			timer.callback();
		}
	};

	return {
		now: () => systemClock.now() + ahead,
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
		jump(byMs) {
			ahead += byMs;
			const now = monotonic();
			const due = [...timers].filter(timer => timer.due <= now).toSorted((a, b) => a.due - b.due);
			for (const timer of due) {
				fire(timer);
			}

			for (const timer of timers) {
				timer.cancel();
				arm(timer);
			}
		},
	};
}
