import {expect, test} from 'vitest';
import {nounTable} from '../../../source/tui/nouns/table.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {screenLayout, smallest} from '../../../source/tui/state/layout.ts';

/** Cells that a table takes: those of each column, which its key begins with, and the blanks between them. */
function cellsOf({key, header}: ReturnType<typeof nounTable>, signCells: number): number {
	const columns = key.slice(0, -header.length).trim().split(' ').map(Number);
	return columns.reduce((sum, cells) => sum + cells + 1, signCells - 1);
}

test('no list is wider than the cells that it has, on any screen from 60 columns', () => {
	const wider = panes.flatMap(({isWide, listShare, sections}) =>
		sections.flatMap(({listing}) =>
			Array.from({length: 120}, (_, more) => smallest.columns + more).flatMap(columns => {
				const size = {columns, rows: 24};
				const wish = {banners: 0, hasDetail: true, isWide, listShare, isZoomed: false};
				const {listWidth} = screenLayout(size, {...wish, region: 'list'});
				const noun = listing?.noun?.noun;
				const cells = noun ? cellsOf(nounTable(noun, listWidth), noun.sign ? 3 : 2) : 0;
				return cells > listWidth ? [`${noun?.many} on ${columns} columns: ${cells}`] : [];
			}),
		),
	);

	expect(wider).toEqual([]);
});
