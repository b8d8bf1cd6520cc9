/** The middle value of a list, the mean of the two middle ones when it is even; `NaN` of nothing. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((left, right) => left - right);
	const middle = Math.floor(sorted.length / 2);
	const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]];
	return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

/** The value that `share` (0 to 1) of the list does not exceed; `NaN` of nothing. `sorted` ascends. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
	sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const ascending = (values: readonly number[]) => values.toSorted((left, right) => left - right);

/** `percentile` of a list in any order. */
export const percentileOf = (values: readonly number[], share: number): number =>
	percentile(ascending(values), share);
