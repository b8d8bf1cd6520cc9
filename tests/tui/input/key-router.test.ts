import {expect, test} from 'vitest';
import {literal} from '../../../source/terminal/text/safe.ts';
import {bindingsMarkdown} from '../../../source/tui/commands/table.ts';
import {createKeyRouter, type KeyBinding} from '../../../source/tui/input/key-router.ts';
import {keyConflicts} from './key-conflicts.ts';

type Context = {readonly selected: boolean};

const bindings: ReadonlyArray<KeyBinding<Context>> = [
	{keys: ['q'], id: 'quit', label: literal('quit'), scope: 'global'},
	{keys: [':', 'ctrl+k'], id: 'palette', label: literal('palette'), scope: 'global'},
	{keys: ['!', 'alt+a'], id: 'approvals', label: literal('review approvals'), scope: 'global'},
	{
		keys: ['enter'],
		id: 'open',
		label: literal('open'),
		scope: 'list',
		when: ({selected}) => selected,
	},
	{keys: ['left'], id: 'back', label: literal('back'), scope: 'list'},
	{keys: ['j', 'down'], id: 'down', label: literal('down'), scope: 'list', quiet: true},
	{keys: ['q', 'esc'], id: 'close', label: literal('close'), scope: 'palette'},
];

const router = createKeyRouter(bindings);

const options = {
	scopes: ['list', 'global'],
	textFocused: false,
	context: {selected: true},
} as const;

const press = (id: string, overrides: Partial<Parameters<typeof router.route>[1]> = {}) =>
	router.route({id, text: id.length === 1 ? id : ''}, {...options, ...overrides})?.id;

test('the innermost scope that has the key takes it', () => {
	expect(press('j')).toBe('down');
	expect(press('q')).toBe('quit');
	expect(press('q', {scopes: ['palette', 'list', 'global']})).toBe('close');
	expect(press('x')).toBeUndefined();
});

test('a scope that is not named is not asked', () => {
	expect(press('j', {scopes: ['palette']})).toBeUndefined();
});

test('a binding that is off does not take its key', () => {
	expect(press('enter')).toBe('open');
	expect(press('enter', {context: {selected: false}})).toBeUndefined();
});

test('"Single-letter keys exist only when no text field has focus"', () => {
	expect(press('q', {textFocused: true})).toBeUndefined();
	expect(press('!', {textFocused: true})).toBeUndefined();
	expect(press('left', {textFocused: true})).toBeUndefined();
	expect(press('alt+a', {textFocused: true})).toBe('approvals');
	expect(press('ctrl+k', {textFocused: true})).toBe('palette');
	expect(press('down', {textFocused: true})).toBe('down');
	expect(press('enter', {textFocused: true})).toBe('open');
});

test('what is available comes innermost first, without what is off, covered or the field’s', () => {
	const ids = (overrides: Partial<Parameters<typeof router.route>[1]> = {}) =>
		router.available({...options, ...overrides}).map(({id}) => id);
	expect(ids()).toEqual(['open', 'back', 'down', 'quit', 'palette', 'approvals']);
	expect(ids({context: {selected: false}})).not.toContain('open');
	expect(ids({scopes: ['palette', 'global']})).toEqual(['close', 'palette', 'approvals']);
	expect(ids({textFocused: true})).toEqual(['open', 'down', 'palette', 'approvals']);
});

test('two bindings of one scope that claim one key are a conflict, unless one is conditional', () => {
	expect(keyConflicts(bindings)).toEqual([]);
	const more: ReadonlyArray<KeyBinding<Context>> = [
		...bindings,
		{keys: ['q'], id: 'query', label: literal('query'), scope: 'global'},
		{keys: ['j'], id: 'jump', label: literal('jump'), scope: 'list', when: () => true},
	];
	expect(keyConflicts(more)).toEqual([
		'Key "q" of scope "global" is bound to "quit" and to "query"',
	]);
});

test('the keymap is a Markdown table for each scope', () => {
	const markdown = bindingsMarkdown(
		[
			...bindings.slice(0, 2),
			{keys: ['|', '`'], id: 'list.pipe', label: literal('a | b'), scope: 'list'},
		],
		scope => (scope === 'global' ? 'Everywhere' : scope),
	);
	expect(markdown).toBe(
		[
			'# Keys',
			'',
			'## Everywhere',
			'',
			'| Key | Act | Command |',
			'| - | - | - |',
			'| `q` | quit | `quit` |',
			'| `:`, `ctrl+k` | palette | `palette` |',
			'',
			'## list',
			'',
			'| Key | Act | Command |',
			'| - | - | - |',
			String.raw`| ${'`\\|`'}, ${'`` ` ``'} | a \| b | ${'`list.pipe`'} |`,
			'',
		].join('\n'),
	);
});
