import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {escapeLine} from '../../../source/core/untrusted.ts';
import {lineWidth} from '../../../source/tui/lines/line.ts';
import {tabsLine} from '../../../source/tui/shell/tabs-line.ts';

const clean = (text: string) => escapeLine(text);
const names = 'Traffic Groups Tools Logins Routes Approvals Runs Logs Keys Chat'.split(' ');
const shorts = 'Traf Grp Tools Auth Routes Appr Runs Logs Keys Chat'.split(' ');

const tenPanes = names.map((name, index) => ({
	id: name,
	title: clean(name),
	short: clean(shorts[index] ?? ''),
}));

const shown = (open: string, width: number) => tabsLine({panes: tenPanes, open}, width);
const textOf = (...of: Parameters<typeof shown>) =>
	shown(...of)
		.map(({text}) => text)
		.join('');

test.for([
	[
		'Traffic',
		120,
		'[1 Traffic]  2 Groups   3 Tools   4 Logins   5 Routes   6 Approvals   7 Runs   8 Logs   9 Keys   0 Chat ',
	],
	['Traffic', 80, '[1Traf] 2Grp  3Tools  4Auth  5Routes  6Appr  7Runs  8Logs  9Keys  0Chat'],
	['Chat', 60, '1 2Grp 3Tools 4Auth 5Routes 6Appr 7Runs 8Logs 9Keys [0Chat]'],
	['Logs', 60, '1 2Grp 3Tools 4Auth 5Routes 6Appr 7Runs [8Logs] 9Keys 0Chat'],
] as const)('ten panes, of which %s is open, at %d columns', ([open, width, row]) => {
	expect(textOf(open, width).trimEnd()).toBe(row.trimEnd());
});

test('whatever the width is: no tab is cut, every key is there, and the open one by name', () => {
	fc.assert(
		fc.property(fc.constantFrom(...names), fc.integer({min: 60, max: 160}), (open, width) => {
			const row = textOf(open, width);
			expect(lineWidth(shown(open, width))).toBeLessThanOrEqual(width);
			expect(row).toMatch(/\[\d ?[A-Z][a-z]+\]/);
			for (const index of names.keys()) {
				const key = (index + 1) % 10;
				const name = `${names[index]}|${shorts[index]}`;
				expect(row).toMatch(new RegExp(`(^|[ [])${key}( ?(${name}))?([ \\]]|$)`));
			}
		}),
	);
});
