import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {screenLayout, type LayoutWish} from '../../../source/tui/state/layout.ts';

const wish: LayoutWish = {
	banners: 0,
	hasDetail: true,
	isWide: false,
	region: 'list',
	isZoomed: false,
};

test('list and detail stand side by side from 100 columns, 58 to 42 with three columns for the divider', () => {
	expect(screenLayout({columns: 100, rows: 36}, wish)).toMatchObject({
		listWidth: 56,
		gutter: 3,
		detailWidth: 41,
		showsList: true,
		showsDetail: true,
	});
	expect(screenLayout({columns: 99, rows: 36}, wish)).toMatchObject({
		listWidth: 99,
		showsList: true,
		showsDetail: false,
	});
});

test('the mark of the row that keys act on has a column of its own, out of those of the divider beside a list', () => {
	const marked = {...wish, hasCursor: true};
	expect(screenLayout({columns: 100, rows: 36}, marked)).toMatchObject({
		gutter: 2,
		mark: 1,
		detailWidth: 41,
	});
	expect(screenLayout({columns: 80, rows: 24}, {...marked, region: 'detail'})).toMatchObject({
		gutter: 0,
		mark: 1,
		detailWidth: 79,
	});
	expect(screenLayout({columns: 100, rows: 36}, wish).mark).toBe(0);
});

test('the regions always add up to the terminal', () => {
	fc.assert(
		fc.property(
			fc.integer({min: 60, max: 300}),
			fc.integer({min: 16, max: 100}),
			fc.record({
				banners: fc.nat(1),
				hasDetail: fc.boolean(),
				hasCursor: fc.boolean(),
				isWide: fc.boolean(),
				region: fc.constantFrom('list', 'detail'),
				isZoomed: fc.boolean(),
			}),
			(columns, rows, any) => {
				const layout = screenLayout({columns, rows}, any);
				const shown =
					(layout.showsList ? layout.listWidth : 0) +
					layout.gutter +
					(layout.showsDetail ? layout.mark + layout.detailWidth : 0);
				expect(shown).toBe(columns);
				expect(layout.bodyHeight + layout.banners + 4).toBe(rows);
				expect(layout.bodyHeight).toBeGreaterThanOrEqual(8);
			},
		),
	);
});
