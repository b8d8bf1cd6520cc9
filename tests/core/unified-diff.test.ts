import {array, assert, constantFrom, property} from 'fast-check';
import {expect, test} from 'vitest';
import {unifiedDiff} from '../../source/core/unified-diff.ts';

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;

test('what changed is shown with three lines around it, and where it stands', () => {
	const before = lines('1', '2', '3', '4', '5', '6', '7', '8');

	expect(unifiedDiff(before, before)).toEqual([]);
	expect(unifiedDiff(before, lines('1', '2', '3', '4', 'five', '6', '7', '8', '9'), 11)).toEqual([
		'@@ -12,7 +12,8 @@',
		' 2',
		' 3',
		' 4',
		'-5',
		'+five',
		' 6',
		' 7',
		' 8',
		'+9',
	]);
	expect(unifiedDiff('', lines('a'))).toEqual(['@@ -0,0 +1,1 @@', '+a']);
});

test('both texts can be told from the lines of any diff', () => {
	const text = array(constantFrom('a', 'b', 'c'), {maxLength: 12}).map(all =>
		all.map(one => `${one}\n`).join(''),
	);
	assert(
		property(text, text, (before, after) => {
			const diff = unifiedDiff(before, after).filter(line => !line.startsWith('@@'));
			const count = (sign: string) => diff.filter(line => line.startsWith(sign)).length;
			expect(count('+') - count('-')).toBe(after.length / 2 - before.length / 2);
			expect(diff.length > 0).toBe(before !== after);
		}),
	);
});
