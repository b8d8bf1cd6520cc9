import type {Clock} from './clock.ts';

/** A moment at which something happens, unless it is moved again. */
export type Deadline = {
	/** So many milliseconds from now. */
	move(ms: number): void;
	/** It happens no more, unless it is moved. */
	clear(): void;
	/** For good: no timer is left. */
	[Symbol.dispose](): void;
};

/** Calls `onDue` at the moment. It may be moved with every word of a stream: a timer is not made anew for that, it looks where the moment is now when it ends. */
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
