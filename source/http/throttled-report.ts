import type {Clock} from '../core/clock.ts';

/** Reports the first time at once and from then on at most every `intervalMs`, with how often it has happened since the last report and what was said of it last. */
export function createThrottledReport<Detail = void>(
	clock: Clock,
	intervalMs: number,
	report: (count: number, detail: Detail) => void,
): (detail: Detail) => void {
	let count = 0;
	let nextAt = -Infinity;
	return detail => {
		count += 1;
		const now = clock.monotonic();
		if (now >= nextAt) {
			nextAt = now + intervalMs;
			report(count, detail);
			count = 0;
		}
	};
}
