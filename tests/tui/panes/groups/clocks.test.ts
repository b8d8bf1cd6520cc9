import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {bar, clocksOf, nextOf, secondsText} from '../../../../source/tui/panes/groups/clocks.ts';
import {makeGroup} from '../../../helpers/make.ts';

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
	expect(bar(clocksOf(group, now).quiet, 10)).toBe(expected);
});

test('whatever the times are, the bar has its cells and what is left is within the clock', () => {
	const time = fc.integer({min: -1e13, max: 1e13});
	fc.assert(
		fc.property(fc.record({lastAt: time, quietAt: time, now: time}), fc.nat(40), (at, cells) => {
			const {lastAt, quietAt, now} = at;
			const {quiet} = clocksOf(makeGroup({lastAt, quietAt}), now);
			expect(bar(quiet, cells)).toHaveLength(cells);
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
	expect(nextOf(group)).toEqual({at: 40_000, word: 'dispatch'});
	expect(nextOf({...group, capAt: 39_000})).toEqual({at: 39_000, word: 'cap'});
	expect(nextOf({...group, capAt: 40_000}).word).toBe('dispatch');
});
