import {array, assert, constantFrom, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {widthOf} from '../../../source/terminal/text/fit.ts';
import {
	editLine,
	insertText,
	lineText,
	maxLineLength,
	shownLine,
	type LineText,
} from '../../../source/terminal/text/line-editor.ts';

const press = (line: LineText, ...ids: readonly string[]) =>
	ids.reduce((now, id) => editLine(now, {id, text: id.length === 1 ? id : ''}) ?? now, line);

const count = (text: string) => [...new Intl.Segmenter().segment(text)].length;

test('keys of readline', () => {
	expect(press(lineText('one two'), 'ctrl+w')).toEqual({value: 'one ', cursor: 4});
	expect(press(lineText('one two'), 'home', 'delete')).toEqual({value: 'ne two', cursor: 0});
	expect(press(lineText('one two'), 'ctrl+u')).toEqual({value: '', cursor: 0});
	expect(press(lineText('abc'), 'left', 'ctrl+k')).toEqual({value: 'ab', cursor: 2});
	expect(press(lineText('ab'), 'left', 'x', 'end', 'y')).toEqual({value: 'axby', cursor: 4});
	expect(editLine(lineText('a'), {id: 'f5', text: ''})).toBeUndefined();
});

test('Backspace takes a whole character, never half of one', () => {
	expect(press(lineText('日本👩‍👩‍👧'), 'backspace').value).toBe('日本');
});

test('what is pasted is one line without controls', () => {
	expect(insertText(lineText('a'), 'b\r\n\u001B[2Jc').value).toBe('ab [2Jc');
	expect(insertText(lineText(), 'x'.repeat(5000)).value).toHaveLength(maxLineLength);
});

const keys = constantFrom(
	...'left right home end backspace delete ctrl+w ctrl+u ctrl+k ctrl+a ctrl+e'.split(' '),
);

test('any keys keep whole characters, and the cursor among them', () => {
	assert(
		property(
			array(
				oneof(
					keys.map(id => ({id, text: ''})),
					string({unit: 'grapheme', minLength: 1, maxLength: 1}).map(text => ({id: text, text})),
				),
				{maxLength: 40},
			),
			pressed => {
				let line = lineText();
				for (const key of pressed) {
					line = editLine(line, key) ?? line;
					expect(line.value.isWellFormed()).toBe(true);
					expect(line.cursor).toBeGreaterThanOrEqual(0);
					expect(line.cursor).toBeLessThanOrEqual(count(line.value));
					expect(widthOf(shownLine(line, {width: 20}))).toBeLessThanOrEqual(20);
				}
			},
		),
	);
});

test('a masked line shows neither its text nor the width of its characters', () => {
	expect(shownLine(lineText('päss'), {width: 20, isMasked: true})).toBe('****█');
});
