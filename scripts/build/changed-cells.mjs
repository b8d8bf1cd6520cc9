// What Ink's line diff lacks, for lines whose characters all take one cell: it skips what two lines have in common at their start, and writes the rest anew. In a row of figures
// little changes, in several places. Here only the cells that look different are written.

/** Printable ASCII and the signs of our own rows: one cell each in every terminal, and none that joins with another. As in source/terminal/text/fit.ts. */
export const oneCellEach = /^[ -~─│┌┐└┘·…●○◐✓✗–×▁▂▃▄▅▆▇█░]*$/;

// oxlint-disable-next-line no-control-regex -- styles start with ESC
const style = /(\u001B\[[\d;]*m)/;

/** A gap that is written again costs less than to jump over it. */
const shortGap = 6;

/** Which style each code ends or replaces, by what it is about; a code that is not here is not understood. */
const about = new Map([
	...codes('bold', [1, 2, 22]),
	...codes('italic', [3, 23]),
	...codes('underline', [4, 24]),
	...codes('inverse', [7, 27]),
	...codes('strike', [9, 29]),
	...codes('color', [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 90, 91, 92, 93, 94, 95, 96, 97]),
	...codes('ground', [40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 100, 101, 102, 103, 104, 105, 106]),
	...codes('ground', [107]),
]);

const ends = new Set([22, 23, 24, 27, 29, 39, 49]);

function codes(topic, numbers) {
	return numbers.map(number => [number, topic]);
}

/**
 * The bytes that make `next` of `previous` in a row of `columns` cells in which the cursor stands somewhere, and which has no style when they begin and end; `undefined` where that is not
 * certain.
 */
export function changedCells(previous, next, columns) {
	const before = cellsOf(previous);
	const after = cellsOf(next);
	if (!before || !after || Math.max(before.length, after.length) > columns) {
		return undefined;
	}

	const length = Math.max(before.length, after.length);
	let bytes = '';
	for (let at = 0; at < length; at++) {
		if (!differs(before[at], after[at])) {
			continue;
		}

		let end = at + 1;
		for (let look = end; look < length && look - end < shortGap; look++) {
			if (differs(before[look], after[look])) {
				end = look + 1;
			}
		}

		bytes += written(after, at, end);
		at = end - 1;
	}

	return bytes;
}

const blank = {text: ' ', looks: ''};

/** A run of cells from its column on. */
function written(cells, from, to) {
	let bytes = `\u001B[${from + 1}G`;
	let looks = '';
	for (let at = from; at < to; at++) {
		const cell = cells[at] ?? blank;
		if (cell.looks !== looks) {
			bytes += (looks === '' ? '' : '\u001B[m') + cell.looks;
			looks = cell.looks;
		}

		bytes += cell.text;
	}

	return looks === '' ? bytes : `${bytes}\u001B[m`;
}

const differs = (one = blank, other = blank) =>
	one.text !== other.text || one.looks !== other.looks;

/** Text and styles of each cell; `undefined` for a line that holds something else. */
function cellsOf(line) {
	const cells = [];
	const styles = new Map();
	let looks = '';
	for (const part of line.split(style)) {
		if (part.startsWith('\u001B[')) {
			if (!apply(styles, part.slice(2, -1))) {
				return undefined;
			}

			looks = [...styles.values()].join('');
			continue;
		}

		if (!oneCellEach.test(part)) {
			return undefined;
		}

		for (const text of part) {
			cells.push({text, looks});
		}
	}

	return looks === '' ? cells : undefined;
}

/** Whether the code is understood. */
function apply(styles, parameters) {
	const numbers = parameters === '' ? [0] : parameters.split(';').map(Number);
	const [first] = numbers;
	if (first === 0 && numbers.length === 1) {
		styles.clear();
		return true;
	}

	const isExtended = first === 38 || first === 48;
	const isWhole = isExtended
		? (numbers[1] === 5 && numbers.length === 3) || (numbers[1] === 2 && numbers.length === 5)
		: numbers.length === 1;
	const topic = about.get(first);
	if (topic === undefined || !isWhole) {
		return false;
	}

	// Bold and dim stand beside each other, and end together.
	if (first === 22) {
		styles.delete('bold');
		styles.delete('dim');
	} else if (ends.has(first)) {
		styles.delete(topic);
	} else {
		styles.set(first === 2 ? 'dim' : topic, `\u001B[${parameters}m`);
	}

	return true;
}
