import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {matchesGlob} from '../../../source/mcp/catalogue/match-glob.ts';

test.for([
	['get_issue', 'get_*', true],
	['get_issue', 'GET_*', false],
	['get_issue', '*issue', true],
	['get_issue', 'issue', false],
	['a/b/c', 'a*c', true],
	['list-repos.all', 'list-repos.all', true],
	['list-repos.all', 'list_repos_all', false],
	['cat', 'c?t', true],
	['c😀t', 'c?t', true],
	['ct', 'c?t', false],
	['cat', 'c[a-c]t', true],
	['cut', 'c[a-c]t', false],
	['cut', 'c[!a-c]t', true],
	['c]t', 'c[]]t', true],
	['c-t', 'c[a-]t', true],
	['c[t', 'c[t', true],
	['x[1]', 'x[1]', true],
	['x1', 'x[1]', true],
	['', '*', true],
	['', '', true],
	['a', '', false],
] as const)('%j matches %j: %j', ([name, pattern, expected]) => {
	expect(matchesGlob(name, pattern)).toBe(expected);
});

test('a pattern without brackets means what the same regex means', () => {
	const letters = fc.string({unit: fc.constantFrom('a', 'b', '.'), maxLength: 8});
	const patterns = fc.string({unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8});

	fc.assert(
		fc.property(letters, patterns, (name, pattern) => {
			const source = pattern
				.replaceAll('.', String.raw`\.`)
				.replaceAll('*', '.*')
				.replaceAll('?', '.');

			expect(matchesGlob(name, pattern)).toBe(
				name === pattern || new RegExp(`^${source}$`, 's').test(name),
			);
		}),
	);
});

test('any pattern gives an answer, and every name matches itself', () => {
	fc.assert(
		fc.property(fc.string({unit: 'binary'}), fc.string({unit: 'binary'}), (name, pattern) => {
			expect(typeof matchesGlob(name, pattern)).toBe('boolean');
			expect(matchesGlob(name, name)).toBe(true);
		}),
	);
});

test('a pattern made to stall a matcher costs at most pattern times name', () => {
	// A matcher that tries every way needs longer for this than the universe has time.
	expect(matchesGlob('a'.repeat(256), `${'*a'.repeat(120)}*b`)).toBe(false);
});
