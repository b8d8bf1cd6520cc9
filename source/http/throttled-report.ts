import type {Clock} from '../core/clock.ts';

/** Reports the first time at once and from then on at most every `intervalMs`, with how often it has happened since the last report. */
export function createThrottledReport(
	clock: Clock,
	intervalMs: number,
	report: (count: number) => void,
): () => void {
	let count = 0;
	let nextAt = -Infinity;
	return () => {
		count += 1;
		const now = clock.monotonic();
		if (now >= nextAt) {
			nextAt = now + intervalMs;
			report(count);
			count = 0;
		}
	};
}
