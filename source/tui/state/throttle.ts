import {type Clock, createTimer} from '../../core/clock.ts';

export type Throttle = Disposable & {
	/** Asks for a call of the action: at once after a silence of `intervalMs`, else when that has passed. */
	ask(): void;
	/** Calls the action now, however short the silence was. */
	now(): void;
};

/** Calls `action` at most once per `intervalMs`, which is asked anew each time; the last request is never lost. */
export function createThrottle(
	clock: Clock,
	intervalMs: () => number,
	action: () => void,
): Throttle {
	const timer = createTimer(clock);
	let isAsked = false;
	const act = () => {
		isAsked = false;
		timer.set(intervalMs(), () => {
			if (isAsked) {
				act();
			}
		});
		action();
	};

	return {
		ask() {
			isAsked = true;
			if (timer.isFree()) {
				act();
			}
		},
		now: act,
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}
