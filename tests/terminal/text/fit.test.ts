import {assert, constantFrom, integer, oneof, property, string, array} from 'fast-check';
import stringWidth from 'string-width';
import {expect, test} from 'vitest';
import {escapeLine, escapeBlock} from '../../../source/core/untrusted.ts';
import {clip, fit, widthOf} from '../../../source/terminal/text/fit.ts';
import {empty, literal, safe} from '../../../source/terminal/text/safe.ts';
import {singleLine} from '../../../source/terminal/text/single-line.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';

const strangers = oneof(
	string({unit: 'grapheme', maxLength: 60}),
	string({unit: 'binary', maxLength: 60}),
	constantFrom(...attackCorpus),
	array(constantFrom('日', 'é', '👍', 'a', ' ', '各', 'ำ', '\u0301', '🇩🇪', '\n', '\t')).map(parts =>
		parts.join(''),
	),
);

test.for([
	['abc', 5, {}, 'abc  '],
	['abc', 5, {align: 'end'}, '  abc'],
	['abcdef', 4, {}, 'abc…'],
	['abcdef', 4, {ellipsis: ''}, 'abcd'],
	['abcdef', 4, {ellipsis: '...'}, 'a...'],
	['abcdef', 3, {ellipsis: '...'}, '...'],
	['abcdef', 2, {ellipsis: '...'}, 'ab'],
	['abcdef', 1, {}, '…'],
	['日本語', 6, {}, '日本語'],
	['日本語', 5, {}, '日本…'],
	['日本語', 4, {}, '日… '],
	['日本語', 4, {align: 'end'}, ' 日…'],
	['abc', 0, {}, ''],
	['日', 1, {ellipsis: ''}, ' '],
	['', 2, {}, '  '],
] as const)('%j in %i cells with %j is %j', ([text, width, options, expected]) => {
	expect(fit(escapeLine(text), width, options)).toBe(expected);
});

test('a line break within the text becomes a blank', () => {
	expect(fit(escapeBlock('a\nb'), 5)).toBe('a b  ');
});

test('whatever a stranger sends is exactly as wide as asked, as Ink counts it', () => {
	assert(
		property(
			strangers,
			integer({min: 0, max: 80}),
			constantFrom('start', 'end'),
			(text, width, align) => {
				const fitted = fit(escapeLine(text), width, {align});
				expect(stringWidth(fitted)).toBe(width);
				expect(fitted.isWellFormed()).toBe(true);
			},
		),
		{numRuns: propertyRuns(3000)},
	);
});

test('the signs of our own rows are as wide as Ink counts them', () => {
	const wrong = '─·…●○◐✓✗–×'
		.split('')
		.filter(sign => widthOf(sign) !== stringWidth(sign) || widthOf(`a${sign}b`) !== 3);

	expect(wrong).toEqual([]);
});

test('clipped text is never wider than asked, and is the text itself when that fits', () => {
	assert(
		property(strangers, integer({min: 0, max: 80}), (text, width) => {
			const clean = escapeLine(text);
			const clipped = clip(clean, width);
			expect(widthOf(clipped)).toBeLessThanOrEqual(width);
			expect(widthOf(clean) > width || clipped === clean).toBe(true);
		}),
		{numRuns: propertyRuns(2000)},
	);
});

test('a long text costs no more than what is shown of it', () => {
	const long = escapeLine('日'.repeat(500_000), 1_000_000);
	expect(clip(long, 10)).toBe('日日日日…');
});

test('our own words, numbers and safe parts make a line', () => {
	expect(safe`${3} of ${literal('4')} ${escapeLine('a\u0007')}`).toBe('3 of 4 a␇');
	expect(safe`a\b`).toBe('a\b');
	expect(empty).toBe('');
	const name: string = 'someone';
	// @ts-expect-error -- an arbitrary string is nobody's own word
	literal(name);
	// @ts-expect-error -- not in a template either
	literal(`hello ${name}`);
	// @ts-expect-error -- nor as a part
	expect(safe`hello ${name}`).toBe('hello someone');
});

test('a one-line value holds no line break, control or half character, and cleaning it again changes nothing', () => {
	expect(singleLine('a\r\nb\tc\u0007\u202Ed\ud83d', 100)).toBe('a b cd');
	expect(singleLine('日本語', 2)).toBe('日本');
	expect(singleLine('ab👍', 3)).toBe('ab');
	assert(
		property(strangers, integer({min: 0, max: 40}), (text, maxLength) => {
			const once = singleLine(text, maxLength);
			expect(once.length).toBeLessThanOrEqual(maxLength);
			expect(once).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
			expect(singleLine(once, maxLength)).toBe(once);
		}),
		{numRuns: propertyRuns(3000)},
	);
});
