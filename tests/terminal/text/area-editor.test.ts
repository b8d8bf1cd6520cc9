import {array, assert, constantFrom, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {
	areaText,
	areaValue,
	editArea,
	insertArea,
} from '../../../source/terminal/text/area-editor.ts';
import {splitGraphemes} from '../../../source/terminal/text/line-editor.ts';

const press = (start: string, ...keys: readonly string[]) =>
	keys.reduce(
		(area, id) => editArea(area, {id, text: /^[a-z+]{2,}$/.test(id) ? '' : id}) ?? area,
		areaText(start),
	);

test('Enter breaks a line where the cursor is, Backspace and Delete join lines', () => {
	expect(areaValue(press('ab\ncd', 'left', 'enter'))).toBe('ab\nc\nd');
	expect(areaValue(press('ab\ncd', 'home', 'backspace', '-'))).toBe('ab-cd');
	expect(areaValue(press('ab\ncd', 'up', 'end', 'delete', '-'))).toBe('ab-cd');
	expect(press('', 'backspace', 'delete', 'up', 'left')).toEqual(areaText(''));
});

test('the cursor goes from line to line, by characters as people see them', () => {
	expect(areaValue(press('ab\n👩‍👩‍👧x', 'left', 'backspace'))).toBe('ab\nx');
	expect(areaValue(press('ab\ncd', 'home', 'left', '-'))).toBe('ab-\ncd');
	expect(areaValue(press('ab\ncd', 'up', 'right', '-'))).toBe('ab\n-cd');
	expect(areaValue(press('long line\nx', 'up', '-'))).toBe('l-ong line\nx');
});

test('a paste keeps its lines and loses its controls', () => {
	expect(areaValue(insertArea(areaText('a'), 'b\r\nc\u001B[31m\td'))).toMatch(/^ab\nc.*d$/);
});

test('a paste is what its lines would be, typed with Enter between them', () => {
	const line = string({unit: constantFrom('a', 'b', ' ', 'é', '👩‍👧')});
	assert(
		property(array(line, {minLength: 1}), array(line, {minLength: 1}), (before, pasted) => {
			const start = press(before.join('\n'), 'up', 'right');
			const typed = pasted.reduce(
				(area, one, index) =>
					insertArea(index > 0 ? (editArea(area, {id: 'enter', text: ''}) ?? area) : area, one),
				start,
			);
			expect(insertArea(start, pasted.join('\n'))).toEqual(typed);
		}),
	);
});

test('a paste of 100,000 lines is taken at once, and cut where the text is full', () => {
	const start = performance.now();
	const {lines, row} = insertArea(areaText('x'), 'ab\n'.repeat(100_000));
	expect(performance.now() - start).toBeLessThan(2000);
	expect(lines.join('\n')).toHaveLength(256 * 1024);
	expect(row).toBe(lines.length - 1);
});

test('whatever is typed, the text is well-formed and the cursor stands in it', () => {
	const key = oneof(
		constantFrom(
			'up',
			'down',
			'left',
			'right',
			'home',
			'end',
			'enter',
			'backspace',
			'delete',
			'ctrl+w',
			'ctrl+k',
			'ctrl+u',
			'pgup',
			'pgdn',
			'tab',
		),
		string({unit: 'grapheme', minLength: 1, maxLength: 2}),
	);
	assert(
		property(string({unit: 'grapheme'}), array(key), (start, keys) => {
			const {lines, row, column} = keys.reduce(
				(area, id) => editArea(area, {id, text: /^[a-z+]{2,}$/.test(id) ? '' : id}) ?? area,
				areaText(start.replaceAll('\r', '')),
			);
			expect(lines.join('\n').isWellFormed()).toBe(true);
			expect(lines.every(line => !line.includes('\n'))).toBe(true);
			expect(row >= 0 && row < lines.length).toBe(true);
			expect(column >= 0 && column <= splitGraphemes(lines[row] ?? '').length).toBe(true);
		}),
	);
});
