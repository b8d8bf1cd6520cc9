/** A place in a file, both from 1. */
export type Position = {readonly line: number; readonly column: number};

/** The place of an offset in `text`. The YAML parser's own count misses lines inside what it could not make sense of. */
export function createPositions(text: string): (offset?: number) => Position {
	const starts = [0, ...[...text.matchAll(/\n/g)].map(({index}) => index + 1)];
	return (offset = 0) => {
		const inside = Math.min(offset, text.length);
		const line = linesUpTo(starts, inside);
		return {line, column: inside - (starts[line - 1] ?? 0) + 1};
	};
}

/** How many of `starts`, which rise, are at most `offset`. Halves: there may be as many places to find as there are lines. */
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
