import {expect, test} from 'vitest';
import {type Safe, escapeLine} from '../../../source/core/untrusted.ts';
import {wrapWords} from '../../../source/terminal/text/wrap-words.ts';

const safeOf = (text: string): Safe => escapeLine(text, Infinity);

const inRows = (text: string, width: number) => [...wrapWords(safeOf(text), width)];

test.for([
	['the quick brown fox', ['the quick', 'brown fox']],
	['  a list of things', ['  a list', 'of things']],
	['incomprehensible word', ['incomprehe', 'nsible', 'word']],
	['漢字漢字漢字 next', ['漢字漢字漢', '字 next']],
	['', ['']],
] as const)('%j in ten cells is %j', ([text, rows]) => {
	expect(inRows(text, 10)).toEqual(rows);
});

test('a long text without blanks costs as much as its rows, not as its square', () => {
	const rows = inRows('漢'.repeat(60_000), 80);
	expect(rows).toHaveLength(1500);
	expect(new Set(rows)).toEqual(new Set(['漢'.repeat(40)]));
});
