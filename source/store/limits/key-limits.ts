import type {Clock} from '../../core/clock.ts';
import type {KeyLimits} from './port.ts';

const minuteMs = 60_000;

/** A place becomes free whenever a request ends: nobody can tell when. */
const parallelRetryMs = 1000;

/** What is used of one key now. */
type Use = {
	/** Requests that the bucket lacks, and when that was so on the monotonic clock. */
	spent: number;
	countedAt: number;
	running: number;
	held: number;
};

/** `KeyLimits` of the only process, in memory: for each key a bucket of `rpm` requests that fills evenly. A burst of all of them is allowed, and then one each 60/`rpm` seconds. */
export function createKeyLimits(clock: Clock): KeyLimits {
	const uses = new Map<string, Use>();
	const entryOf = (id: string): Use => {
		const use = uses.get(id) ?? {spent: 0, countedAt: clock.monotonic(), running: 0, held: 0};
		uses.set(id, use);
		return use;
	};

	const count = (use: Use, rpm: number) => {
		const now = clock.monotonic();
		use.spent = Math.max(0, use.spent - ((now - use.countedAt) * rpm) / minuteMs);
		use.countedAt = now;
	};

	return {
		take(id, {rpm, parallel}) {
			const use = entryOf(id);
			if (parallel !== undefined && use.running >= parallel) {
				return {kind: 'parallel', most: parallel, retryMs: parallelRetryMs};
			}

			if (rpm !== undefined) {
				count(use, rpm);
				if (use.spent > rpm - 1) {
					const retryMs = Math.ceil(((use.spent - (rpm - 1)) * minuteMs) / rpm);
					return {kind: 'rpm', most: rpm, retryMs};
				}

				use.spent += 1;
			}

			use.running += 1;
			return {kind: 'taken'};
		},
		release(id) {
			const use = uses.get(id);
			if (use) {
				use.running -= 1;
			}
		},
		left(id, rpm) {
			const use = entryOf(id);
			count(use, rpm);
			return {
				requests: Math.max(0, Math.floor(rpm - use.spent)),
				resetMs: Math.ceil((use.spent * minuteMs) / rpm),
			};
		},
		held: id => uses.get(id)?.held ?? 0,
		hold(id, tokens) {
			const use = uses.get(id);
			if (use) {
				use.held += tokens;
			}
		},
		forget(id) {
			uses.delete(id);
		},
	};
}
