import type {Clock} from '../core/clock.ts';

export type Places = {
	/** Resolves to `release` once a place is free; to `undefined` when too many wait already or `waitMs` passed. */
	take(waitMs: number): Promise<(() => void) | undefined>;
};

/** At most `count` holders at once and `mostWaiting` behind them, served in order. */
export function createPlaces(
	clock: Clock,
	{count, mostWaiting}: {readonly count: number; readonly mostWaiting: number},
): Places {
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
		async take(waitMs) {
			if (taken < count) {
				taken += 1;
				return once(release);
			}

			if (waiting.length >= mostWaiting) {
				return undefined;
			}

			return new Promise(resolve => {
				const cancel = clock.after(waitMs, () => {
					waiting.splice(waiting.indexOf(enter), 1);
					resolve(undefined);
				});
				const enter = (give: () => void) => {
					cancel();
					resolve(give);
				};

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
