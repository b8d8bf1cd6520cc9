import {expect, test} from 'vitest';
import {addUsage, usageOf, usageWords} from '../../source/core/run.ts';

const dollars = {input: 3, output: 15, currency: 'USD'};

test.for([
	[1204, 380, undefined, '1,204 in · 380 out'],
	[1204, 380, dollars, '1,204 in · 380 out · $0.0093'],
	[0, 0, dollars, '0 in · 0 out · $0.00'],
	[1_000_000, 100_000, dollars, '1,000,000 in · 100,000 out · $4.50'],
	[1_000_000, 0, {...dollars, currency: 'CHF'}, '1,000,000 in · 0 out · 3.00 CHF'],
	[100, 0, {...dollars, input: 0.001}, '100 in · 0 out · <$0.000001'],
	[1_500_000_000, 0, dollars, '1,500,000,000 in · 0 out · $4,500.00'],
] as const)('%i tokens in, %i out, at the price %j are "%s"', ([input, output, price, words]) => {
	expect(usageWords(usageOf(input, output, price))).toBe(words);
});

test('two tries cost what both cost', () => {
	const one = usageOf(1_000_000, 0, dollars);

	expect(addUsage(one, one)).toEqual({
		inputTokens: 2_000_000,
		outputTokens: 0,
		cost: {amount: 6, currency: 'USD'},
	});
	expect(addUsage(undefined, one)).toBe(one);
});

test.for([
	['no price', undefined],
	['a price in another currency', {...dollars, currency: 'EUR'}],
] as const)('what cost something with a price and then with %s has no known cost', ([, price]) => {
	const one = usageOf(10, 1, dollars);
	const other = usageOf(10, 1, price);

	expect(addUsage(one, other)).toEqual({inputTokens: 20, outputTokens: 2});
	expect(addUsage(other, one)).not.toHaveProperty('cost');
});
