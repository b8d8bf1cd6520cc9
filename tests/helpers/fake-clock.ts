import type {Clock} from '../../source/core/clock.ts';

export type FakeClock = Clock & {
	advance(byMs: number): void;
	/** As if somebody set the wall clock; no time passes. */
	setWall(byMs: number): void;
	/** How many timers run. */
	readonly timersLeft: number;
};

export function createFakeClock(startMs = 0): FakeClock {
	let time = startMs;
	let wallMs = 0;
	let timers: Array<{readonly due: number; readonly callback: () => void}> = [];

	return {
		now: () => time + wallMs,
		monotonic: () => time,
		after(delayMs, callback) {
			const timer = {due: time + delayMs, callback};
			timers.push(timer);
			return () => {
				timers = timers.filter(other => other !== timer);
			};
		},
		setWall(byMs) {
			wallMs += byMs;
		},
		get timersLeft() {
			return timers.length;
		},
		advance(byMs) {
			const end = time + byMs;
			for (;;) {
				const [next] = timers.filter(timer => timer.due <= end).toSorted((a, b) => a.due - b.due);
				if (!next) {
					break;
				}

				timers = timers.filter(timer => timer !== next);
				time = next.due;
				next.callback();
			}

			time = end;
		},
	};
}
