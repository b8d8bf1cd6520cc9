import {widthOf} from '../../source/terminal/text/fit.ts';

/** One cell of a terminal. A colour is a number of the palette or `#rrggbb`; `undefined` is the terminal's own. */
export type Cell = Look & {
	readonly text: string;
	/** 1, or 2 for a wide character. */
	readonly columns: number;
};

type Look = {
	readonly color: number | string | undefined;
	readonly background: number | string | undefined;
	readonly bold: boolean;
	readonly dim: boolean;
	readonly underline: boolean;
	readonly inverse: boolean;
};

/** Rows from top to bottom. */
export type Screen = ReadonlyArray<readonly Cell[]>;

const plain: Look = {
	color: undefined,
	background: undefined,
	bold: false,
	dim: false,
	underline: false,
	inverse: false,
};

const graphemes = new Intl.Segmenter();

/**
 * The cells of a frame as Ink makes it: rows of text with colours (SGR) and no other sequence. Rows are filled up to `columns` with blanks, and the frame to `rows` rows; nothing is
 * cut.
 */
export function cellsOf(
	frame: string,
	{columns, rows}: {readonly columns: number; readonly rows: number},
): Screen {
	let look = plain;
	const screen = frame.split('\n').map(text => {
		const cells: Cell[] = [];
		// oxlint-disable-next-line no-control-regex -- what colours begin with
		for (const [index, part] of text.split(/\u001B\[([\d;]*)m/).entries()) {
			if (index % 2 === 1) {
				look = lookAfter(look, part);
			} else {
				addText(cells, part, look);
			}
		}

		return filled(cells, columns);
	});
	return [
		...screen,
		...Array.from({length: Math.max(0, rows - screen.length)}, () => filled([], columns)),
	];
}

function addText(cells: Cell[], text: string, look: Look): void {
	for (const {segment} of graphemes.segment(text)) {
		const columns = widthOf(segment);
		const last = cells.at(-1);
		if (columns > 0) {
			cells.push({...look, text: segment, columns});
		} else if (last) {
			cells.splice(-1, 1, {...last, text: last.text + segment});
		}
	}
}

function filled(cells: readonly Cell[], columns: number): readonly Cell[] {
	const missing = columns - cells.reduce((sum, cell) => sum + cell.columns, 0);
	return [
		...cells,
		...Array.from({length: Math.max(0, missing)}, () => ({...plain, text: ' ', columns: 1})),
	];
}

/** What a code that stands alone changes. @see ECMA-48 8.3.117 */
const changes: Readonly<Record<number, Partial<Look>>> = {
	0: plain,
	1: {bold: true},
	2: {dim: true},
	4: {underline: true},
	7: {inverse: true},
	22: {bold: false, dim: false},
	24: {underline: false},
	27: {inverse: false},
	39: {color: undefined},
	49: {background: undefined},
};

function lookAfter(before: Look, codes: string): Look {
	const numbers = codes.split(';').map(Number);
	let look = before;
	for (let index = 0; index < numbers.length; index += 1) {
		const code = numbers[index] ?? 0;
		if (code === 38 || code === 48) {
			const [kind = 0, ...values] = numbers.slice(index + 1, index + 5);
			const color = kind === 5 ? values[0] : hex(values);
			look = {...look, ...(code === 38 ? {color} : {background: color})};
			index += kind === 5 ? 2 : 4;
		} else {
			look = {...look, ...(changes[code] ?? paletteChange(code))};
		}
	}

	return look;
}

const hex = (values: readonly number[]): string =>
	`#${values.map(value => value.toString(16).padStart(2, '0')).join('')}`;

/** The sixteen colours of a terminal, as text and behind it. */
function paletteChange(code: number): Partial<Look> {
	const color = code % 10;
	if (color > 7) {
		return {};
	}

	switch (code - color) {
		case 30: {
			return {color};
		}
		case 40: {
			return {background: color};
		}
		case 90: {
			return {color: color + 8};
		}
		case 100: {
			return {background: color + 8};
		}
		default: {
			return {};
		}
	}
}
