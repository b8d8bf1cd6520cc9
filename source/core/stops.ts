import type {Clock} from './clock.ts';

/** A timer that has one moment at most. Disposal is for good: nothing can be set any more. */
export type Timer = {
	/** Calls `callback` after `delayMs`, in place of what was set before. */
	set(delayMs: number, callback: () => void): void;
	/** Whether nothing is set, and something may be. */
	isFree(): boolean;
	readonly cancel: () => void;
	readonly [Symbol.dispose]: () => void;
};

/** A timer of which nothing is set yet. */
export function createTimer(clock: Pick<Clock, 'after'>): Timer {
	let stop: (() => void) | undefined;
	let isOver = false;
	const cancel = () => {
		stop?.();
		stop = undefined;
	};

	return {
		set(delayMs, callback) {
			cancel();
			if (!isOver) {
				stop = clock.after(delayMs, () => {
					stop = undefined;
					callback();
				});
			}
		},
		isFree: () => !isOver && stop === undefined,
		cancel,
		[Symbol.dispose]() {
			isOver = true;
			cancel();
		},
	};
}

/** The one way out of several; what is added to `stops` until then ends, too. */
export const stopAll = (stops: Iterable<() => void>) => (): void => {
	for (const stop of stops) {
		stop();
	}
};
