import type {Clock} from '../core/clock.ts';

export type Semaphore = {
	/** Resolves to `release` once a place is free; to `undefined` when too many wait already, `waitMs` passed or `signal` aborted. */
	take(waitMs: number, signal: AbortSignal): Promise<(() => void) | undefined>;
};

/** At most `count` holders at once and `maxWaiting` behind them, served in order. */
export function createSemaphore(
	clock: Clock,
	{count, maxWaiting}: {readonly count: number; readonly maxWaiting: number},
): Semaphore {
	let taken = 0;
	const waiting: Array<(release: () => void) => void> = [];

	const release = () => {
		const next = waiting.shift();
		if (next) {
			next(once(release));
		} else {
			taken -= 1;
		}
	};

	return {
		async take(waitMs, signal) {
			if (signal.aborted) {
				return undefined;
			}

			if (taken < count) {
				taken += 1;
				return once(release);
			}

			if (waiting.length >= maxWaiting) {
				return undefined;
			}

			return new Promise(resolve => {
				const leave = () => {
					waiting.splice(waiting.indexOf(enter), 1);
					settle(undefined);
				};
				const enter = (give: () => void) => {
					settle(give);
				};
				const settle = (give: (() => void) | undefined) => {
					cancel();
					signal.removeEventListener('abort', leave);
					resolve(give);
				};

				const cancel = clock.after(waitMs, leave);
				signal.addEventListener('abort', leave, {once: true});
				waiting.push(enter);
			});
		},
	};
}

function once(action: () => void): () => void {
	let done = false;
	return () => {
		if (!done) {
			done = true;
			action();
		}
	};
}
