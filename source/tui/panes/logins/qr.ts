import {encode} from 'uqr';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';

/** A QR code in rows of as many cells; dark is the foreground, or, where `isInverted`, the ground. */
export type QrCode = {
	readonly width: number;
	readonly rows: readonly Safe[];
	readonly inverted: readonly Safe[];
};

/** Light cells around it: scanners want to see where it ends. */
const quietCells = 2;

/** Two rows of modules in one of characters: which of them are drawn, the upper first. */
const blocks = [
	[' ', '▄'],
	['▀', '█'],
] as const;

/** The code of a text; `undefined` when it is too long for one that a terminal could show. */
export function qrCode(text: string): QrCode | undefined {
	if (text.length > maxLength) {
		return undefined;
	}

	const {data} = encode(text, {ecc: 'L', border: quietCells});
	return {width: data.length, rows: rowsOf(data, true), inverted: rowsOf(data, false)};
}

/** 69 cells at most: wider ones have no room beside what is said of them. */
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
