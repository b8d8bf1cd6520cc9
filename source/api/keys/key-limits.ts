import type {ApiKey} from '../../core/api-keys/api-key.ts';
import type {Clock} from '../../core/clock.ts';

/** Requests of one key, as far as its `rpm` and its `parallel` go. */
export type KeyLimits = {
	/** Takes one place and one request out of the minute; or says in how many milliseconds to try again. */
	take(key: Pick<ApiKey, 'rpm' | 'parallel'>): {readonly kind: 'taken'} | KeyLimited;
	/** Gives the place back. */
	release(): void;
	/** Requests that are left in the minute, and the milliseconds until all are. */
	left(rpm: number): {readonly requests: number; readonly resetMs: number};
};

export type KeyLimited = {
	readonly kind: 'rpm' | 'parallel';
	readonly most: number;
	readonly retryMs: number;
};

const minuteMs = 60_000;

/** A place becomes free whenever a request ends: nobody can tell when. */
const parallelRetryMs = 1000;

/** A bucket of `rpm` requests that fills evenly: a burst of all of them is allowed, and then one each 60/`rpm` seconds. */
export function createKeyLimits(clock: Clock): KeyLimits {
	let spent = 0;
	let countedAt = clock.monotonic();
	let running = 0;

	const count = (rpm: number) => {
		const now = clock.monotonic();
		spent = Math.max(0, spent - ((now - countedAt) * rpm) / minuteMs);
		countedAt = now;
	};

	return {
		take({rpm, parallel}) {
			if (parallel !== undefined && running >= parallel) {
				return {kind: 'parallel', most: parallel, retryMs: parallelRetryMs};
			}

			if (rpm !== undefined) {
				count(rpm);
				if (spent > rpm - 1) {
					const retryMs = Math.ceil(((spent - (rpm - 1)) * minuteMs) / rpm);
					return {kind: 'rpm', most: rpm, retryMs};
				}

				spent += 1;
			}

			running += 1;
			return {kind: 'taken'};
		},
		release() {
			running -= 1;
		},
		left(rpm) {
			count(rpm);
			return {
				requests: Math.max(0, Math.floor(rpm - spent)),
				resetMs: Math.ceil((spent * minuteMs) / rpm),
			};
		},
	};
}
