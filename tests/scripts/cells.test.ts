import {expect, test} from 'vitest';
import {cellsOf} from '../../scripts/screenshot/cells.ts';
import {svgOf} from '../../scripts/screenshot/svg.ts';

const esc = '\u001B';
const plain = {
	color: undefined,
	background: undefined,
	bold: false,
	dim: false,
	underline: false,
	inverse: false,
};
const row = (frame: string, columns = 0) => cellsOf(frame, {columns, rows: 1})[0] ?? [];

test.for([
	[`${esc}[1mx`, {bold: true}],
	[`${esc}[1;4mx`, {bold: true, underline: true}],
	[`${esc}[2m${esc}[7mx`, {dim: true, inverse: true}],
	[`${esc}[31mx`, {color: 1}],
	[`${esc}[97mx`, {color: 15}],
	[`${esc}[44mx`, {background: 4}],
	[`${esc}[107mx`, {background: 15}],
	[`${esc}[38;5;245mx`, {color: 245}],
	[`${esc}[48;5;12;1mx`, {background: 12, bold: true}],
	[`${esc}[38;2;1;22;255mx`, {color: '#0116ff'}],
	[`${esc}[1;31;42m${esc}[22;39;49mx`, {}],
	[`${esc}[1;31m${esc}[0mx`, {}],
	[`${esc}[1;31m${esc}[mx`, {}],
] as const)('%j is a cell that looks like %o', ([frame, look]) => {
	expect(row(frame)).toEqual([{...plain, ...look, text: 'x', columns: 1}]);
});

test('a look goes on over the end of a row, as in a terminal', () => {
	const [, second] = cellsOf(`${esc}[31ma\nb`, {columns: 1, rows: 2});
	expect(second?.[0]).toMatchObject({text: 'b', color: 1});
});

test('wide characters take two columns, marks none, and rows are filled up', () => {
	const cells = row('日e\u0301!', 6);
	expect(cells.map(({text}) => text)).toEqual(['日', 'e\u0301', '!', ' ', ' ']);
	expect(cells.reduce((sum, {columns}) => sum + columns, 0)).toBe(6);
	expect(cellsOf('', {columns: 2, rows: 3})).toHaveLength(3);
});

test('a picture escapes what XML would read, and puts wide characters where they belong', () => {
	const drawn = svgOf(cellsOf('日<&>', {columns: 10, rows: 1}), 'a <title>');
	expect(drawn).toContain('<title>a &lt;title&gt;</title>');
	expect(drawn).toMatch(/<text x="16\.8"[^>]*>&lt;&amp;&gt;<\/text>/);
});
