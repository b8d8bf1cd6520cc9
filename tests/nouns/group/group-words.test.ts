import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	clockBar,
	clocksOf,
	doneHeading,
	nextText,
	secondsText,
	sizesOf,
	waitsOf,
} from '../../../source/nouns/group/group-words.ts';
import {makeGroup} from '../../helpers/make.ts';

const group = makeGroup({firstAt: 0, lastAt: 10_000, quietAt: 40_000, capAt: 300_000});

test('the quiet window counts from the latest event, the cap from the first', () => {
	const {quiet, cap} = clocksOf(group, 25_000);

	expect(quiet).toEqual({wholeMs: 30_000, leftMs: 15_000, share: 0.5});
	expect(cap.wholeMs).toBe(300_000);
	expect(cap.leftMs).toBe(275_000);
});

test.for([
	[10_000, '░░░░░░░░░░'],
	[25_000, '█████░░░░░'],
	[39_999, '█████████░'],
	[40_000, '██████████'],
] as const)('at %d ms the bar is %s: full only when the window is over', ([now, expected]) => {
	expect(clockBar(clocksOf(group, now).quiet, 10)).toBe(expected);
});

test('whatever the times are, the bar has its cells and what is left is within the clock', () => {
	const time = fc.integer({min: -1e13, max: 1e13});
	fc.assert(
		fc.property(fc.record({lastAt: time, quietAt: time, now: time}), fc.nat(40), (at, cells) => {
			const {lastAt, quietAt, now} = at;
			const {quiet} = clocksOf(makeGroup({lastAt, quietAt}), now);
			expect(clockBar(quiet, cells)).toHaveLength(cells);
			expect(quiet.leftMs).toBeGreaterThanOrEqual(0);
			expect(quiet.leftMs).toBeLessThanOrEqual(quiet.wholeMs);
		}),
	);
});

test.for([
	[0, '0 s'],
	[1, '1 s'],
	[16_001, '17 s'],
	[999_000, '999 s'],
	[1_000_000, '16:40'],
	[90_000_000, '25:00:00'],
] as const)('%d ms are written as %s', ([ms, expected]) => {
	expect(secondsText(ms)).toBe(expected);
});

test('the clock that ends first says when the group goes; a tie is the quiet window', () => {
	const wordOf = (capAt: number) => nextText({...group, capAt}, 0, 17).split(' ')[0];
	expect(wordOf(300_000)).toBe('dispatch');
	expect(wordOf(39_000)).toBe('cap');
	expect(wordOf(40_000)).toBe('dispatch');
});

const done = (count: number, waitedMs: number) =>
	makeGroup({count, state: 'dispatched', firstAt: 1000, dispatchedAt: 1000 + waitedMs});

const groups = [
	...[1, 2, 4, 4, 5, 9, 10, 4000].map((count, index) => done(count, index * 10_000)),
	makeGroup({count: 3, state: 'pending'}),
];

test('dispatched groups are counted by what they gathered; what still waits is not', () => {
	expect(sizesOf(groups)).toEqual([1, 3, 2, 2]);
	expect(sizesOf([])).toEqual([0, 0, 0, 0]);
});

test('the wait is told by the middle one and the longest', () => {
	expect(waitsOf(groups)).toEqual({median: 30_000, longest: 70_000});
	expect(waitsOf([done(1, 5)])).toEqual({median: 5, longest: 5});
	expect(waitsOf([])).toBeUndefined();
});

test('the heading of what is done draws both', () => {
	expect(
		doneHeading(groups)
			.map(({text}) => text)
			.join(''),
	).toBe('  ── done ── events  1 ▃  2-4 █  5-9 ▆  10+ ▆ ── median wait 0:30, longest 1:10');
});
