/** The last durations of something, milliseconds. */
export type Durations = {
	add(durationMs: number): void;
	/** The smallest duration that `share` (0 to 1) of the remembered ones do not exceed; 0 without any. */
	percentile(share: number): number;
};

/** Remembers the last `size` durations. */
export function createDurations(size: number): Durations {
	const values = new Float64Array(size);
	let count = 0;
	return {
		add(durationMs) {
			values[count % size] = durationMs;
			count += 1;
		},
		percentile(share) {
			const sorted = values.slice(0, Math.min(count, size)).toSorted();
			return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
		},
	};
}
