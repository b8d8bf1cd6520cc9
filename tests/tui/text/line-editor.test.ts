import {array, assert, boolean, constantFrom, integer, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {
	editKey,
	editorOf,
	emptyEditor,
	insertText,
	type Editor,
} from '../../../source/tui/text/line-editor.ts';

const options = {maxLength: 1000};

/** The text with `|` at the cursor after `keys` (printable ones by themselves). */
const after = (start: string, keys: readonly string[], multiline = false) => {
	const [before = '', behind = ''] = start.split('|');
	const all = {...options, multiline};
	let editor: Editor = {...editorOf(before + behind, all), cursor: before.length};
	for (const id of keys) {
		const text = [...new Intl.Segmenter().segment(id)].length === 1 ? id : '';
		editor = editKey(editor, {id, text}, all) ?? editor;
	}

	return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
};

test.for([
	['|', ['a', 'é', '👨‍👩‍👧'], 'aé👨‍👩‍👧|'],
	['日👨‍👩‍👧|', ['backspace'], '日|'],
	['日👨‍👩‍👧|', ['left', 'left'], '|日👨‍👩‍👧'],
	['|日👨‍👩‍👧x', ['right', 'right'], '日👨‍👩‍👧|x'],
	['a|👨‍👩‍👧b', ['delete'], 'a|b'],
	['|', ['backspace', 'delete', 'left', 'right'], '|'],
	['one two|', ['ctrl+a'], '|one two'],
	['|one two', ['ctrl+e'], 'one two|'],
	['one two-three|', ['alt+b'], 'one two-|three'],
	['one two-three|', ['alt+b', 'alt+b', 'alt+b'], '|one two-three'],
	['|one two', ['alt+f', 'alt+f'], 'one two|'],
	['one two  |x', ['ctrl+w'], 'one |x'],
	['one| two', ['alt+d'], 'one|'],
	['one |two', ['ctrl+u'], '|two'],
	['one |two', ['ctrl+k'], 'one |'],
	['one |two', ['ctrl+k', 'ctrl+a', 'ctrl+y'], 'two|one '],
	['|', ['a', 'b', 'ctrl+_'], 'a|'],
	['one two|', ['ctrl+w', 'ctrl+_'], 'one two|'],
	['über straße|', ['ctrl+w'], 'über |'],
] as const)('%s after %j is %s', ([start, keys, expected]) => {
	expect(after(start, keys)).toBe(expected);
});

test.for([
	['one\ntwo|', ['up'], 'one|\ntwo'],
	['one\ntw|o', ['up', 'down'], 'one\ntw|o'],
	['a\nlong|', ['up'], 'a|\nlong'],
	['日本語|\n👍x', ['down'], '日本語\n👍x|'],
	['o|ne', ['up'], 'o|ne'],
	['one\ntwo|', ['ctrl+a'], 'one\n|two'],
	['on|e\ntwo', ['ctrl+e'], 'one|\ntwo'],
	['on|e\ntwo', ['ctrl+k'], 'on|\ntwo'],
	['one|', ['shift+enter', 'alt+enter', 'ctrl+j'], 'one\n\n\n|'],
	['one\n|two', ['backspace'], 'one|two'],
] as const)('in several lines %s after %j is %s', ([start, keys, expected]) => {
	expect(after(start, keys, true)).toBe(expected);
});

test('keys that are not the editor’s are not taken', () => {
	for (const id of ['enter', 'esc', 'tab', 'pgup', 'up', 'down', 'ctrl+c', 'ctrl+j', 'ctrl+_']) {
		expect(editKey(emptyEditor, {id, text: ''}, options)).toBeUndefined();
	}
});

test('what is pasted is cleaned and cut where the text would be too long', () => {
	expect(insertText(emptyEditor, 'a\r\nb\tc\u001B[31m\u202Ed', options).text).toBe('a b c[31md');
	expect(insertText(emptyEditor, 'a\r\nb\rc', {...options, multiline: true}).text).toBe('a\nb\nc');
	expect(insertText(editorOf('ab', {maxLength: 3}), '👍', {maxLength: 3}).text).toBe('ab');
	expect(insertText(editorOf('ab', {maxLength: 3}), 'xyz', {maxLength: 3}).text).toBe('abx');
});

const ids = [
	'left right home end up down backspace delete ctrl+left ctrl+right alt+b alt+f alt+d ctrl+a ctrl+b',
	'ctrl+d ctrl+e ctrl+f ctrl+k ctrl+u ctrl+w ctrl+y ctrl+_ alt+backspace alt+enter enter esc',
]
	.join(' ')
	.split(' ');

test('whatever is typed and pasted, the text stays well-formed and within its length, the cursor between graphemes', () => {
	assert(
		property(
			array(
				oneof(
					constantFrom(...ids).map(id => ({id, text: ''})),
					constantFrom('a', ' ', 'é', '\u0301', '日', '👍', '👨‍👩‍👧', '🇩', '\u200D', 'ก', 'ำ').map(
						text => ({
							id: text,
							text,
						}),
					),
					string({unit: 'binary', maxLength: 12}),
				),
				{maxLength: 60},
			),
			boolean(),
			integer({min: 0, max: 40}),
			(inputs, multiline, maxLength) => {
				const all = {maxLength, multiline};
				let editor = emptyEditor;
				for (const input of inputs) {
					editor =
						typeof input === 'string'
							? insertText(editor, input, all)
							: (editKey(editor, input, all) ?? editor);
					const places = [...new Intl.Segmenter().segment(editor.text)].map(({index}) => index);
					expect([...places, editor.text.length]).toContain(editor.cursor);
					expect(editor.text.isWellFormed()).toBe(true);
					expect(editor.text).not.toMatch(multiline ? /[^\P{Cc}\n]/u : /\p{Cc}/u);
					expect(editor.text.length).toBeLessThanOrEqual(maxLength);
					expect(editor.past.length).toBeLessThanOrEqual(100);
				}
			},
		),
		{numRuns: 3000},
	);
});
