import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {nextTry} from '../../source/delivery/deliverer.ts';

const early = () => 0;

test('"default 3 tries over 10 minutes"', () => {
	const waits = [1, 2, 3].map(attempt => nextTry(attempt, {random: early}));

	expect(waits).toEqual([120_000, 480_000, undefined]);
});

test('one try is the last', () => {
	expect(nextTry(1, {tries: 1, random: early})).toBeUndefined();
	expect(nextTry(1, {tries: 0, random: early})).toBeUndefined();
});

test('jitter shortens a wait by at most a fifth', () => {
	expect(nextTry(1, {random: () => 0.999_999})).toBe(96_000);
	expect(nextTry(1, {random: () => 0.5})).toBe(108_000);
});

test('whatever the plan: waits grow, stay within the span, and end', () => {
	fc.assert(
		fc.property(
			fc.integer({min: 2, max: 10}),
			fc.integer({min: 600_000, max: 86_400_000}),
			(tries, spanMs) => {
				const waits = Array.from({length: tries}, (_, index) =>
					nextTry(index + 1, {tries, spanMs, random: early}),
				);
				expect(waits.pop()).toBeUndefined();
				const numbers = waits.map(Number);
				expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
				expect(numbers.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(spanMs + 5000);
				expect(nextTry(tries + 1, {tries, spanMs, random: early})).toBeUndefined();
			},
		),
	);
});
