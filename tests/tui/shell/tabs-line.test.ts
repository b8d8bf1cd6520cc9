import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {initialState} from '../../../source/core/state.ts';
import {cell} from '../../../source/core/untrusted.ts';
import {lineWidth} from '../../../source/tui/dialogs/box.ts';
import {tabsLine} from '../../../source/tui/shell/tabs-line.ts';

const clean = (text: string) => cell(text).text;
const names = 'Traffic Groups Tools Logins Routes Approvals Runs Logs Keys Chat'.split(' ');
const shorts = 'Traf Grp Tools Auth Routes Appr Runs Logs Keys Chat'.split(' ');

const tenPanes = (counts: readonly number[]) =>
	names.map((name, index) => ({
		id: name,
		title: clean(name),
		short: clean(shorts[index] ?? ''),
		count: () => counts[index] ?? 0,
	}));

const shown = (counts: readonly number[], open: string, width: number) =>
	tabsLine({panes: tenPanes(counts), open}, initialState, width);
const textOf = (...of: Parameters<typeof shown>) =>
	shown(...of)
		.map(({text}) => text)
		.join('');

test.for([
	[
		[],
		'Traffic',
		120,
		'[1 Traffic]  2 Groups   3 Tools   4 Logins   5 Routes   6 Approvals   7 Runs   8 Logs   9 Keys   0 Chat ',
	],
	[[], 'Traffic', 80, '[1Traf] 2Grp  3Tools  4Auth  5Routes  6Appr  7Runs  8Logs  9Keys  0Chat '],
	[
		[0, 3, 0, 1, 12, 2, 4],
		'Chat',
		80,
		'1Traf 2Grp·3 3Tools 4Auth·1 5Routes·12 6Appr·2 7Runs·4 8Logs 9Keys [0Chat]',
	],
	[
		[0, 3, 0, 1, 12, 2, 4],
		'Groups',
		60,
		'1 [2Grp·3] 3Tools 4Auth·1 5Routes·12 6Appr·2 7Runs·4 8 9 0',
	],
	[[0, 3, 0, 1, 12, 2, 4], 'Chat', 60, '1 2Grp·3 3 4Auth·1 5Routes·12 6Appr·2 7Runs·4 8 9 [0Chat]'],
	[[], 'Logs', 60, '1 2Grp 3Tools 4Auth 5Routes 6Appr 7Runs [8Logs] 9Keys 0Chat'],
] as const)(
	'ten panes with %j, of which %s is open, at %d columns',
	([counts, open, width, row]) => {
		expect(textOf(counts, open, width).trimEnd()).toBe(row.trimEnd());
	},
);

test('whatever the counts are: no tab is cut, every key and count is there, and the open one by name', () => {
	fc.assert(
		fc.property(
			fc.array(fc.oneof(fc.constant(0), fc.nat(400)), {minLength: 10, maxLength: 10}),
			fc.constantFrom(...names),
			fc.integer({min: 60, max: 160}),
			(counts, open, width) => {
				const row = textOf(counts, open, width);
				expect(lineWidth(shown(counts, open, width))).toBeLessThanOrEqual(width);
				expect(row).toMatch(/\[\d ?[A-Z][a-z]+([ ·]\d+)?\]/);
				for (const [index, count] of counts.entries()) {
					const key = (index + 1) % 10;
					const name = `${names[index]}|${shorts[index]}`;
					expect(row).toMatch(
						count === 0
							? new RegExp(`(^|[ [])${key}( ?(${name}))?([ \\]]|$)`)
							: new RegExp(`(^|[ [])${key}( ?(${name}))?[ ·]${count}([ \\]]|$)`),
					);
				}
			},
		),
	);
});
