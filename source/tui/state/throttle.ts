import {type Clock, createTimer} from '../../core/clock.ts';

/** Calls `action` at most once per `intervalMs`, which is read each time; the last request is never lost. */
export function createThrottle(clock: Clock, intervalMs: () => number, action: () => void) {
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
		/** Requests a call: at once if the last one is `intervalMs` ago, else when that time has passed. */
		ask() {
			isAsked = true;
			if (timer.isFree()) {
				act();
			}
		},
		/** Calls the action now, regardless of the interval. */
		now: act,
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}
