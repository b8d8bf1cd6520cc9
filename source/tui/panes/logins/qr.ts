import {encode} from 'uqr';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';

/** A QR code in rows of `width` cells, two rows of modules each. `rows` draws the dark modules in the foreground colour, `inverted` the light ones. */
export type QrCode = {
	readonly width: number;
	readonly rows: readonly Safe[];
	readonly inverted: readonly Safe[];
};

/** The margin of light modules, which scanners need to find the code's edge. */
const quietCells = 2;

/** Block characters for two modules, one above the other, by which of them are drawn. */
const blocks = [
	[' ', '▄'],
	['▀', '█'],
] as const;

/** The QR code of a text; `undefined` if the text is too long for a code that fits a terminal. */
export function qrCode(text: string): QrCode | undefined {
	if (text.length > maxLength) {
		return undefined;
	}

	const {data} = encode(text, {ecc: 'L', border: quietCells});
	return {width: data.length, rows: rowsOf(data, true), inverted: rowsOf(data, false)};
}

/** Yields a code of at most 69 cells: wider ones leave no room for the text beside them. */
const maxLength = 366;

function rowsOf(data: ReadonlyArray<readonly boolean[]>, drawn: boolean): readonly Safe[] {
	return Array.from({length: Math.ceil(data.length / 2)}, (_, index) => {
		const [upper = [], lower = []] = data.slice(index * 2, index * 2 + 2);
		return escapeLine(
			upper
				.map(
					(isDark, column) =>
						blocks[isDark === drawn ? 1 : 0][(lower[column] ?? false) === drawn ? 1 : 0],
				)
				.join(''),
		);
	});
}
