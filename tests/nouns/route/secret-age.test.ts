import {expect, test} from 'vitest';
import {secretAge} from '../../../source/nouns/route/route-facts.ts';

const now = Date.UTC(2026, 10, 20);
const dayMs = 86_400_000;

test.for([
	[0, 'of today'],
	[1, '1 day old'],
	[179, '179 days old'],
	[180, '! 180 days old: n makes a new one'],
] as const)('a secret of %d days is "%s"', ([days, says]) => {
	expect(secretAge(now - days * dayMs, {now, key: 'n'})).toBe(says);
});

test('a secret without a date has no age', () => {
	expect(secretAge(undefined, {now, key: 'n'})).toBe('age unknown');
});
