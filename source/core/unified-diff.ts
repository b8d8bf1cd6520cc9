/** Lines around a change that are shown with it. */
const context = 3;

/** What is compared line by line; above that a changed part counts as a whole. */
const maxCells = 1_000_000;

const maxLines = 2000;

type Step = {readonly sign: ' ' | '-' | '+'; readonly line: string};

/**
 * What makes `after` of `before`, in the form of `diff -u` without its first two lines: `@@ -2,3 +2,4 @@`, then lines that begin with a blank, `-` or `+`. Empty when nothing differs. `from`: the
 * number of the first line. At most 2,000 lines, then `…`.
 */
export function unifiedDiff(before: string, after: string, from = 1): readonly string[] {
	const steps = stepsBetween(linesOf(before), linesOf(after));
	const lines = hunksOf(steps).flatMap(({first, last}) => [
		headOf(steps, {first, last, from}),
		...steps.slice(first, last + 1).map(({sign, line}) => sign + line),
	]);
	return lines.length > maxLines ? [...lines.slice(0, maxLines), '…'] : lines;
}

const linesOf = (text: string): readonly string[] =>
	text === '' ? [] : text.replace(/\n$/, '').split('\n');

const same = (line: string): Step => ({sign: ' ', line});

function stepsBetween(old: readonly string[], next: readonly string[]): readonly Step[] {
	const least = Math.min(old.length, next.length);
	let start = 0;
	while (start < least && old[start] === next[start]) {
		start += 1;
	}

	let end = 0;
	while (end < least - start && old.at(-1 - end) === next.at(-1 - end)) {
		end += 1;
	}

	return [
		...old.slice(0, start).map(same),
		...changeSteps(old.slice(start, old.length - end), next.slice(start, next.length - end)),
		...old.slice(old.length - end).map(same),
	];
}

/** By the longest common subsequence, where there is room for its table. */
function changeSteps(old: readonly string[], next: readonly string[]): readonly Step[] {
	if (old.length * next.length > maxCells) {
		return [
			...old.map((line): Step => ({sign: '-', line})),
			...next.map((line): Step => ({sign: '+', line})),
		];
	}

	const width = next.length + 1;
	const lengths = new Uint32Array((old.length + 1) * width);
	const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
	for (let row = old.length - 1; row >= 0; row--) {
		for (let column = next.length - 1; column >= 0; column--) {
			lengths[row * width + column] =
				old[row] === next[column]
					? lengthAt(row + 1, column + 1) + 1
					: Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
		}
	}

	const steps: Step[] = [];
	let [row, column] = [0, 0];
	while (row < old.length || column < next.length) {
		const [gone = '', come = ''] = [old[row], next[column]];
		if (row < old.length && column < next.length && gone === come) {
			steps.push({sign: ' ', line: gone});
			row += 1;
			column += 1;
		} else if (
			row < old.length &&
			(column >= next.length || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
		) {
			steps.push({sign: '-', line: gone});
			row += 1;
		} else {
			steps.push({sign: '+', line: come});
			column += 1;
		}
	}

	return steps;
}

type Hunk = {readonly first: number; readonly last: number};

/** Changes with what is around them; neighbours that touch are one. */
function hunksOf(steps: readonly Step[]): readonly Hunk[] {
	const hunks: Hunk[] = [];
	for (const [index, {sign}] of steps.entries()) {
		if (sign === ' ') {
			continue;
		}

		const first = Math.max(0, index - context);
		const last = Math.min(steps.length - 1, index + context);
		const before = hunks.at(-1);
		if (before && first <= before.last + 1) {
			hunks[hunks.length - 1] = {first: before.first, last};
		} else {
			hunks.push({first, last});
		}
	}

	return hunks;
}

function headOf(
	steps: readonly Step[],
	{first, last, from}: Hunk & {readonly from: number},
): string {
	const side = (other: Step['sign']) => {
		const before = steps.slice(0, first).filter(({sign}) => sign !== other).length;
		const count = steps.slice(first, last + 1).filter(({sign}) => sign !== other).length;
		return `${before + (count === 0 ? from - 1 : from)},${count}`;
	};

	return `@@ -${side('+')} +${side('-')} @@`;
}
