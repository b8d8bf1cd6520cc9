import {assert, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {codeOf, messageOf} from '../../source/core/errors.ts';
import {compileLinear} from '../../source/core/linear-regex.ts';

const failureOf = (pattern: string) => {
	try {
		compileLinear(pattern);
		return undefined;
	} catch (error) {
		return {code: codeOf(error), message: messageOf(error)};
	}
};

test('"`regex` is unanchored"', () => {
	expect(compileLinear('b+').test('abbc')).toBe(true);
	expect(compileLinear('^b').test('abbc')).toBe(false);
});

test.for([
	['(?=a)', 'lookaround'],
	['(?!a)', 'lookaround'],
	['(?<=a)b', 'lookaround'],
	['(?<!a)b', 'lookaround'],
	['(a)\\1', 'backreference'],
	['(?P<x>a)\\k<x>', 'backreference'],
	['a++', 'possessive'],
	['a{2}+', 'possessive'],
	['(?>a)', 'atomic group'],
	['a{1001}', 'repeat count'],
] as const)('%s is refused and the message names it: %s', ([pattern, construct]) => {
	const failure = failureOf(pattern);
	expect(failure?.code).toBe('regex_unsupported');
	expect(failure?.message).toContain(construct);
	expect(failure?.message).toContain('linear-time engine');
});

test.for(['(', '[', '*', 'x\\', '\\p{Nope}'])('%s is refused as malformed', pattern => {
	expect(failureOf(pattern)?.code).toBe('regex_unsupported');
});

test.for(['(?i)abc', '(?P<name>abc)', '[[:alpha:]]+', '\\p{L}+'])(
	'%s, as other languages write it, is understood',
	pattern => {
		expect(compileLinear(pattern).test('ABC abc')).toBe(true);
	},
);

test('a pattern longer than 1 KiB is refused, counted in bytes', () => {
	expect(compileLinear('a'.repeat(1024)).test('b')).toBe(false);
	expect(failureOf('a'.repeat(1025))?.code).toBe('regex_unsupported');
	expect(failureOf('ä'.repeat(513))?.code).toBe('regex_unsupported');
});

test('text after 65,536 characters is not looked at', () => {
	expect(compileLinear('x').test('a'.repeat(65_535) + 'x')).toBe(true);
	expect(compileLinear('x').test('a'.repeat(65_536) + 'x')).toBe(false);
});

test('a pattern that stalls a backtracking engine for minutes is answered', () => {
	// With a backtracking engine this line does not come back: 40 s at 31 characters, doubling with each.
	expect(compileLinear('^(a+)+$').test('a'.repeat(60_000) + '!')).toBe(false);
});

test('any pattern either compiles or is refused with `regex_unsupported`', () => {
	assert(
		property(string({unit: 'binary'}), string(), (pattern, text) => {
			const failure = failureOf(pattern);
			if (failure) {
				return failure.code === 'regex_unsupported';
			}

			return typeof compileLinear(pattern).test(text) === 'boolean';
		}),
	);
});
