import {type Clock, createTimer} from '../../core/clock.ts';

/** Calls `action` at most once per `intervalMs`, which is asked anew each time; the last request is never lost. */
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
		/** Asks for a call of the action: at once after a silence of `intervalMs`, else when that has passed. */
		ask() {
			isAsked = true;
			if (timer.isFree()) {
				act();
			}
		},
		/** Calls the action now, however short the silence was. */
		now: act,
		[Symbol.dispose]: timer[Symbol.dispose],
	};
}
