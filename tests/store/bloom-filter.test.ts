import {expect, test} from 'vitest';
import {createBloomFilter} from '../../source/store/bloom-filter.ts';

test('every name that was added passes, and few others do', () => {
	const sieve = createBloomFilter();
	const nameOf = (index: number) => `default\0github\0${index}`;
	const count = 50_000;
	for (let index = 0; index < count; index += 1) {
		sieve.add(nameOf(index));
	}

	const passing = (from: number) =>
		Array.from({length: count}, (_, index) => sieve.mayHold(nameOf(from + index))).filter(Boolean)
			.length;
	expect(passing(0)).toBe(count);
	expect(passing(count)).toBeLessThan(count / 100);
	expect(createBloomFilter().mayHold(nameOf(0))).toBe(false);
});
