import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {escapeLine} from '../../../source/core/untrusted.ts';
import {line, lineWidth} from '../../../source/tui/lines/line.ts';
import {besideKeys, toastRows} from '../../../source/tui/shell/toast.ts';
import {attackCorpus} from '../../helpers/attack-corpus.ts';

const clean = (text: string) => escapeLine(text);
const textOf = (row: readonly {readonly text: string}[] | undefined) =>
	row?.map(({text}) => text).join('');

test('a toast stands beside the keys when it has room there, two blanks away', () => {
	const keys = line(clean(' r replay  ? help'));
	const toast = {text: clean('copied'), tone: 'good'} as const;

	expect(textOf(besideKeys(keys, toast, 26))).toBe(' r replay  ? help  copied ');
	expect(besideKeys(keys, toast, 25)).toBeUndefined();
	expect(textOf(besideKeys(keys, toast, 30))).toHaveLength(30);
});

test('a long one takes three rows above them, and ends with … where that is too little', () => {
	const json = clean(`Cannot read {"a": ${JSON.stringify('x'.repeat(200))}}`);
	const rows = toastRows({text: json, tone: 'bad'}, 60);

	expect(rows).toHaveLength(3);
	expect(textOf(rows[0])).toMatch(/^── Cannot read \{"a":/);
	expect(textOf(rows[2])?.trimEnd()).toMatch(/x…$/);
	expect(toastRows({text: clean('short'), tone: 'good'}, 60).map(textOf)).toEqual([
		`── short ${'─'.repeat(51)}`,
	]);
});

test('every row of a toast has exactly the cells of the screen', () => {
	const anyText = fc
		.array(fc.oneof(fc.constantFrom(...attackCorpus, '日本語の', '👍'), fc.string()), {
			maxLength: 30,
		})
		.map(parts => clean(parts.join(' ')));
	fc.assert(
		fc.property(anyText, fc.integer({min: 60, max: 200}), (text, width) => {
			const rows = toastRows({text, tone: 'plain'}, width);
			expect(rows.length).toBeLessThanOrEqual(3);
			expect(new Set(rows.map(lineWidth))).toEqual(new Set([width]));
		}),
	);
});
