import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {createHider} from '../../source/core/secret-finder.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

/** Few letters, so that texts begin alike, hold each other and overlap. */
const text = (minLength: number, maxLength: number) =>
	fc.string({unit: fc.constantFrom('a', 'b', '💥'), minLength, maxLength});

test('hides what a pattern of all the texts would, the longest first', () => {
	fc.assert(
		fc.property(
			fc.array(text(6, 10), {minLength: 1, maxLength: 30}),
			text(0, 200),
			(texts, shown) => {
				const longestFirst = texts.toSorted((a, b) => b.length - a.length).join('|');
				const hidden = shown.replace(new RegExp(longestFirst, 'g'), '<>');
				expect(createHider(texts, '<>')(shown)).toBe(hidden);
			},
		),
		{numRuns: propertyRuns(2000)},
	);
});

test('a text of fewer than 6 characters is not hidden, nor is anything when there is none', () => {
	expect(createHider(['a', '', '12345'], '<>')('a 12345')).toBe('a 12345');
	expect(createHider([], '<>')('as it was')).toBe('as it was');
});
