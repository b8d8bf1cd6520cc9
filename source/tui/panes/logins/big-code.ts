import {type Safe, escapeLine} from '../../../core/untrusted.ts';

/** Bitmaps of letters, five rows each, separated by slashes; `#` is a set pixel. */
const letters: Readonly<Record<string, string>> = {
	A: ' ## /#  #/####/#  #/#  #',
	B: '### /#  #/### /#  #/### ',
	C: ' ###/#   /#   /#   / ###',
	D: '### /#  #/#  #/#  #/### ',
	E: '####/#   /### /#   /####',
	F: '####/#   /### /#   /#   ',
	G: ' ###/#   /# ##/#  #/ ###',
	H: '#  #/#  #/####/#  #/#  #',
	I: '###/ # / # / # /###',
	J: '  ##/   #/   #/#  #/ ## ',
	K: '#  #/# # /##  /# # /#  #',
	L: '#   /#   /#   /#   /####',
	M: '#   #/## ##/# # #/#   #/#   #',
	N: '#   #/##  #/# # #/#  ##/#   #',
	O: ' ## /#  #/#  #/#  #/ ## ',
	P: '### /#  #/### /#   /#   ',
	Q: ' ##  /#  # /#  # /# ## / ## #',
	R: '### /#  #/### /# # /#  #',
	S: ' ###/#   / ## /   #/### ',
	T: '#####/  #  /  #  /  #  /  #  ',
	U: '#  #/#  #/#  #/#  #/ ## ',
	V: '#   #/#   #/ # # / # # /  #  ',
	W: '#   #/#   #/# # #/## ##/#   #',
	X: '#   #/ # # /  #  / # # /#   #',
	Y: '#   #/ # # /  #  /  #  /  #  ',
	Z: '####/  # / #  /#   /####',
	'0': ' ## /# ##/## #/#  #/ ## ',
	'1': ' # /## / # / # /###',
	'2': '### /   #/ ## /#   /####',
	'3': '### /   #/ ## /   #/### ',
	'4': '#  #/#  #/####/   #/   #',
	'5': '####/#   /### /   #/### ',
	'6': ' ## /#   /### /#  #/ ## ',
	'7': '####/   #/  # / #  / #  ',
	'8': ' ## /#  #/ ## /#  #/ ## ',
	'9': ' ## /#  #/ ###/   #/ ## ',
	'-': '   /   /###/   /   ',
	' ': '  /  /  /  /  ',
};

/** Rows taken by one line of large letters. */
const bigRows = 3;

const maxLines = 3;

/**
 * A code in large letters, in lines of at most `width` cells that break after a hyphen; three rows per line, with a blank row between lines. `undefined` if it
 * needs more than three lines, or contains anything but Latin capitals, digits, hyphens and blanks: then spell it.
 */
export function bigCode(code: string, width: number): readonly Safe[] | undefined {
	if (!/^[A-Z0-9 -]{1,64}$/.test(code)) {
		return undefined;
	}

	const parts = code.split(/(?<=[- ])/);
	const lines: string[] = [];
	for (const part of parts) {
		const joined = (lines.at(-1) ?? '') + part;
		if (lines.length > 0 && widthOfLine(joined.trimEnd()) <= width) {
			lines[lines.length - 1] = joined;
		} else {
			lines.push(part);
		}
	}

	const fits = lines.length <= maxLines && lines.every(line => widthOfLine(line) <= width);
	return fits
		? lines.flatMap((line, index) => [...(index > 0 ? [escapeLine('')] : []), ...rowsOfLine(line)])
		: undefined;
}

const glyphOf = (letter: string): readonly string[] => (letters[letter] ?? '').split('/');

const widthOfLine = (line: string): number =>
	Array.from(line).reduce((sum, letter) => sum + (glyphOf(letter)[0]?.length ?? 0) + 1, -1);

function rowsOfLine(line: string): readonly Safe[] {
	const pixels = Array.from({length: bigRows * 2}, (_, row) =>
		Array.from(line)
			.map(letter => glyphOf(letter)[row] ?? ' '.repeat(glyphOf(letter)[0]?.length ?? 0))
			.join(' '),
	);
	return Array.from({length: bigRows}, (_, row) => {
		const [upper = '', lower = ''] = pixels.slice(row * 2, row * 2 + 2);
		return escapeLine(
			Array.from(upper)
				.map((top, column) => blockOf(top, lower[column] ?? ' '))
				.join(''),
		);
	});
}

function blockOf(top: string, bottom: string): string {
	if (top === '#') {
		return bottom === '#' ? '█' : '▀';
	}

	return bottom === '#' ? '▄' : ' ';
}
