import {expect, test} from 'vitest';
import {literal} from '../../../source/terminal/text/safe.ts';
import {handleKey, handlePaste, scopesNow} from '../../../source/tui/commands/scopes.ts';
import {bindings, commands, keymapMarkdown, router} from '../../../source/tui/commands/table.ts';
import {createShell} from '../../../source/tui/shell/create-shell.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {createFakeLogins} from '../../helpers/fake-logins.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {createFakeDesktop} from '../../helpers/show-shell.tsx';
import {keyConflicts} from '../input/key-conflicts.ts';

const newShell = () =>
	createShell(
		{
			port: createFakePort(),
			logins: createFakeLogins(),
			clock: createFakeClock(),
			desktop: createFakeDesktop(),
		},
		{size: {columns: 120, rows: 36}, theme: 'dark', ssh: false, version: '1.0'},
	);

test('no scope binds a key twice', () => {
	expect(keyConflicts(bindings)).toEqual([]);
});

test('every command has a name of its own', () => {
	expect(new Set(commands.map(({id}) => id)).size).toBe(commands.length);
});

test('keys documented are keys bound', () => {
	using shell = newShell();
	const markdown = keymapMarkdown();
	for (const {id, keys, scope, when} of bindings) {
		expect(markdown).toContain(id);
		for (const key of when ? [] : keys) {
			const routed = router.route(
				{id: key, text: ''},
				{scopes: [scope], textFocused: false, context: shell},
			);
			expect(routed?.id, `${scope} ${key}`).toBe(id);
		}
	}
});

test.for(
	'1 2 3 4 5 6 7 8 tab shift+tab j k down up g G pgup pgdn ctrl+u ctrl+d : ctrl+k ? ! z q / n N enter esc space f ctrl+l ctrl+c ctrl+z'.split(
		' ',
	),
)('%s is valid in every pane', key => {
	using shell = newShell();

	expect(
		router.route({id: key, text: ''}, {scopes: ['global'], textFocused: false, context: shell}),
	).toBeDefined();
});

test.for(['ctrl+s', 'ctrl+q', 'ctrl+a', 'ctrl+b', 'ctrl+h', 'ctrl+i', 'ctrl+m'])(
	'%s belongs to the terminal and is never bound',
	key => {
		expect(bindings.filter(({keys}) => keys.includes(key))).toEqual([]);
	},
);

test('what lies over the panes keeps every key to itself', () => {
	using shell = newShell();
	shell.view.set(state => ({...state, overlay: {kind: 'quit'}}));

	expect(scopesNow(shell).scopes).toEqual(['quit']);
	expect(handleKey(shell, {id: '7', text: '7', t: 0, alone: true})).toBe(true);
	expect(shell.view.get().pane).toBe('traffic');
});

test('single letters belong to the text field that has the focus', () => {
	using shell = newShell();
	shell.view.set(state => ({...state, field: 'filter'}));

	expect(handleKey(shell, {id: 'q', text: 'q', t: 0, alone: true})).toBe(false);
	expect(shell.view.get().overlay).toBeUndefined();
});

test('Ctrl-Z says why the process is not stopped, and what leaves the gateway running', () => {
	using shell = newShell();
	handleKey(shell, {id: 'ctrl+z', text: '', t: 0, alone: true});

	expect(shell.view.get().toast?.text).toBe(
		'svc would stop answering webhooks – B leaves, and the gateway goes on',
	);
});

test('what a key or a paste meets that nobody expected is said, and takes the gateway with it nowhere', () => {
	using shell = newShell();
	const fail = (): never => {
		throw new Error('that was not expected');
	};
	const said = () => {
		const {toast} = shell.view.get();
		shell.view.set(state => ({...state, toast: undefined, overlay: undefined}));
		return toast?.text;
	};

	const item = {key: 'x', label: literal('fails'), run: fail};
	shell.view.set(state => ({
		...state,
		overlay: {kind: 'menu', title: literal('menu'), items: [item], index: 0},
	}));
	expect(handleKey(shell, {id: 'x', text: 'x', t: 0, alone: true})).toBe(true);
	expect(said()).toBe('that was not expected');

	const section = {...shell.section(), typing: {key: fail, paste: fail}};
	const typing = {...shell, section: () => section};
	expect(handleKey(typing, {id: 'a', text: 'a', t: 0, alone: true})).toBe(true);
	expect(said()).toBe('that was not expected');
	expect(handlePaste(typing, {text: 'a', t: 0})).toBe(true);
	expect(said()).toBe('that was not expected');
});
