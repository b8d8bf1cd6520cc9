import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {expect, test} from 'vitest';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {sparkline} from '../../../source/terminal/text/sparkline.ts';
import {T} from '../../../source/tui/text/t.tsx';
import {renderTui} from '../../helpers/screen.tsx';

test.for([
	[[], ''],
	[[0, 0], '··'],
	[[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
	[[0, 1, 10_000], '·▁█'],
	[[5, 5], '██'],
	[[-1, 0.1], '·█'],
] as const)('%j is drawn %s', ([values, picture]) => {
	expect(sparkline(values)).toBe(picture);
});

test('it has a character for each value, never higher for a smaller one, and none for some', () => {
	fc.assert(
		fc.property(fc.array(fc.nat(1_000_000), {maxLength: 60}), values => {
			const picture = sparkline(values).split('');
			const height = (sign = '·') => '·▁▂▃▄▅▆▇█'.indexOf(sign);
			expect(picture).toHaveLength(values.length);
			expect(picture.map(sign => sign === '·')).toEqual(values.map(value => value === 0));
			const heights = values
				.map((value, index) => ({value, height: height(picture[index])}))
				.toSorted((one, other) => one.value - other.value)
				.map(entry => entry.height);
			expect(heights).toEqual(heights.toSorted((one, other) => one - other));
		}),
	);
});

test('its characters and those of boxes are one cell wide for us, for Ink and for a terminal', async () => {
	const signs = '·▁▂▃▄▅▆▇█┌┐└┘│─';
	expect(signs.split('').map(sign => [widthOf(sign), stringWidth(sign)])).toEqual(
		Array.from({length: 15}, () => [1, 1]),
	);
	await using screen = await renderTui(<T>{literal('·▁▂▃▄▅▆▇█┌┐└┘│─')}</T>, {
		columns: 20,
		rows: 2,
	});

	expect(
		signs
			.split('')
			.map((_, index) => screen.cell(0, index).text)
			.join(''),
	).toBe(signs);
});
