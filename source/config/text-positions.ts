/** A position in a file; both count from 1. */
export type Position = {readonly line: number; readonly column: number};

/** Computes positions of offsets in `text`. The YAML parser's own positions miss lines in parts that it could not parse. */
export function createPositions(text: string): (offset?: number) => Position {
	const starts = [0, ...[...text.matchAll(/\n/g)].map(({index}) => index + 1)];
	return (offset = 0) => {
		const inside = Math.min(offset, text.length);
		const line = linesUpTo(starts, inside);
		return {line, column: inside - (starts[line - 1] ?? 0) + 1};
	};
}

/** The number of `starts`, in ascending order, that are at most `offset`. A binary search: there may be as many positions to compute as lines. */
function linesUpTo(starts: readonly number[], offset: number): number {
	let [low, high] = [0, starts.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((starts[middle] ?? 0) > offset) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	return low;
}
