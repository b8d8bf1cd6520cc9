const maxNameLength = 64;

/**
 * The name of `known` that was probably meant by `name`: at most two edits away (one for names of up to four characters), case not counted,
 * the first of several. `undefined` when none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
	if (name.length > maxNameLength) {
		return undefined;
	}

	const allowed = name.length <= 4 ? 1 : 2;
	const wanted = name.toLowerCase();
	const [best] = known
		.map(candidate => ({candidate, distance: editDistance(wanted, candidate.toLowerCase())}))
		.filter(({distance}) => distance <= allowed)
		.toSorted((a, b) => a.distance - b.distance);
	return best?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({length: to.length + 1}, (_, index) => index);
	for (let row = 1; row <= from.length; row += 1) {
		const current = [row];
		for (let column = 1; column <= to.length; column += 1) {
			const same = from[row - 1] === to[column - 1];
			const swapped =
				row > 1 &&
				column > 1 &&
				from[row - 1] === to[column - 2] &&
				from[row - 2] === to[column - 1];
			current.push(
				Math.min(
					at(last, column) + 1,
					at(current, column - 1) + 1,
					at(last, column - 1) + (same ? 0 : 1),
					swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
				),
			);
		}

		beforeLast = last;
		last = current;
	}

	return at(last, to.length);
}

const at = (row: readonly number[], column: number): number =>
	row[column] ?? Number.POSITIVE_INFINITY;
