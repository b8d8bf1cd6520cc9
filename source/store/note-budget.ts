import type {Clock} from '../core/clock.ts';

const perSecond = 50;
const longestWaitBytes = 4 * 1024 * 1024;
const secondMs = 1000;

/** How much is noted of what changes nothing, so that a flood of rejected requests cannot fill the disk. */
export type NoteBudget = {
	/** Whether another note of `bytes` may wait: at most 50 a second and 4 MiB at once. A refused one is counted. */
	take(bytes: number): boolean;
	/** The note is written or given up. */
	release(bytes: number): void;
	dropped(): number;
};

export function createNoteBudget(clock: Clock): NoteBudget {
	let secondStart = Number.NEGATIVE_INFINITY;
	let taken = 0;
	let waiting = 0;
	let dropped = 0;
	return {
		take(bytes) {
			if (clock.monotonic() - secondStart >= secondMs) {
				secondStart = clock.monotonic();
				taken = 0;
			}

			if (taken >= perSecond || waiting + bytes > longestWaitBytes) {
				dropped += 1;
				return false;
			}

			taken += 1;
			waiting += bytes;
			return true;
		},
		release(bytes) {
			waiting -= bytes;
		},
		dropped: () => dropped,
	};
}
