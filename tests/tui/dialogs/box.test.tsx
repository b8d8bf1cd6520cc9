import * as fc from 'fast-check';
import {Box} from 'ink';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {escapeLine} from '../../../source/core/untrusted.ts';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {boxLines, fitRows, placeBox, roomIn} from '../../../source/tui/dialogs/box.ts';
import {blankLine, line, lineWidth} from '../../../source/tui/lines/line.ts';
import {LineBlock} from '../../../source/tui/view/line-block.tsx';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {renderTui, type Screen} from '../../helpers/screen.tsx';

const pieces = [
	'plain text of a row',
	'日本語の行です',
	'a日b本c語',
	'👍 done 👨‍👩‍👧 ⚑ 3 control',
	'é́ à ก็ำ',
	'🇯🇵🇩🇪 ⚠️ 1️⃣',
	'─ … ● ○ ◐ ✓ ✗ █░',
	'',
	...attackCorpus,
];
const anyText = fc
	.array(fc.oneof(fc.constantFrom(...pieces), fc.string({unit: 'grapheme', maxLength: 12})), {
		maxLength: 6,
	})
	.map(parts => line(escapeLine(parts.join(' '))));
const anyRows = fc.array(anyText, {maxLength: 20});
const anyArea = fc.record({
	width: fc.integer({min: 58, max: 140}),
	height: fc.integer({min: 3, max: 30}),
});
const anyContents = fc.record({
	width: fc.integer({min: 0, max: 200}),
	height: fc.integer({min: 0, max: 60}),
});

test('a box is never larger than what it lies in, and never reaches out of it', () => {
	fc.assert(
		fc.property(anyArea, anyContents, (area, contents) => {
			const {left, top, width, height} = placeBox(area, contents);
			const room = roomIn(area);
			expect([left, top].every(value => value >= 0)).toBe(true);
			expect(left + width).toBeLessThanOrEqual(area.width);
			expect(top + height).toBeLessThanOrEqual(area.height);
			expect(width - 2).toBeLessThanOrEqual(room.width);
			expect(height - 2).toBeLessThanOrEqual(room.height);
		}),
	);
});

test('every row of a box has exactly its cells, whatever it says', () => {
	fc.assert(
		fc.property(anyRows, anyText, anyArea, (rows, title, size) => {
			const lines = boxLines({title: [title], rows}, size);
			expect(lines).toHaveLength(size.height);
			expect(new Set(lines.map(lineWidth))).toEqual(new Set([size.width]));
		}),
	);
});

test('what has no room loses its blank rows first, and never the row that is to be seen', () => {
	fc.assert(
		fc.property(
			fc.array(fc.boolean(), {minLength: 1, maxLength: 40}),
			fc.integer({min: 1, max: 30}),
			fc.nat(),
			(written, height, at) => {
				const rows = written.map((isWritten, index) =>
					isWritten ? line(escapeLine(`row ${index}`)) : blankLine,
				);
				const places = written.flatMap((isWritten, index) => (isWritten ? [index] : []));
				const shown = places[at % Math.max(1, places.length)];
				const kept = fitRows(rows, height, shown);
				expect(kept.length).toBeLessThanOrEqual(height);
				expect(shown === undefined || kept.includes(rows[shown] ?? [])).toBe(true);
				expect(
					places.length > height || kept.filter(row => row.length > 0).length === places.length,
				).toBe(true);
			},
		),
	);
});

test('a question that is too long for the screen keeps the row of its keys', () => {
	const rows = [blankLine, ...'abcdefgh'.split('').map(text => line(escapeLine(text)))];
	const texts = fitRows(rows, 4).map(row => row.map(({text}) => text).join(''));

	expect(texts).toEqual(['a', 'b', '  …', 'h']);
});

const size = {columns: 60, rows: 12};
let screen: Screen;
beforeAll(async () => {
	screen = await renderTui(<Box />, size);
});
afterAll(async () => {
	await screen[Symbol.asyncDispose]();
});

test('over any rows of a pane it cuts wide characters in whole cells, and the pane goes on beside it', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyText, {minLength: 12, maxLength: 12}),
			anyRows,
			fc.record({left: fc.integer({min: 0, max: 24}), width: fc.integer({min: 6, max: 36})}),
			async (under, rows, {left, width}) => {
				const height = 6;
				const lines = boxLines({title: [line(literal('Title'))], rows}, {width, height});
				await screen.rerender(
					<Box width={size.columns} height={size.rows} overflow="hidden">
						<LineBlock rows={under} top={0} width={size.columns} height={size.rows} />
						<Box position="absolute" top={3} left={left} width={width} height={height}>
							<LineBlock rows={lines} top={0} width={width} height={height} />
						</Box>
					</Box>,
				);
				for (let row = 0; row < height; row += 1) {
					const sides = [
						screen.cell(3 + row, left).text,
						screen.cell(3 + row, left + width - 1).text,
					];
					expect(sides).toEqual(
						row === 0 ? ['┌', '┐'] : row === height - 1 ? ['└', '┘'] : ['│', '│'],
					);
				}

				for (const shown of screen.lines()) {
					expect(widthOf(shown)).toBeLessThanOrEqual(size.columns);
				}
			},
		),
		{numRuns: propertyRuns(60)},
	);
});
