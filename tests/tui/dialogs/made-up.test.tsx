import {expect, test} from 'vitest';
import {lineText, type LineText} from '../../../source/terminal/text/line-editor.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {closing, defineDialog, dialogState} from '../../../source/tui/acts/dialog.ts';
import {dialogs} from '../../../source/tui/commands/dialogs.ts';
import {handleKey} from '../../../source/tui/commands/scopes.ts';
import {lineDialog, titled} from '../../../source/tui/dialogs/box.ts';
import {guarding} from '../../../source/tui/dialogs/guarded.ts';
import {formDialog, reviewing} from '../../../source/tui/dialogs/wizard.ts';
import {newForm, type FormState} from '../../../source/tui/forms/form.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const size = {columns: 80, rows: 24};

type Wish = {readonly text: LineText; readonly isTyped: boolean; readonly granted: number};

const wish = dialogState<Wish>('wish');

const {open, dialog: guard} = guarding(wish, () => 'a wish');

/** All that a kind of dialog is: one record, and below one line in the list. */
const wishDialog = defineDialog(wish, {
	title: 'Making a wish',
	...guard,
	comesBack: true,
	typesApart: true,
	...lineDialog(
		() => titled(literal('A wish')),
		({granted}) => [[{text: literal(granted > 0 ? '  granted' : '  not yet')}]],
	),
	line: {
		get: ({text, isTyped}) => (isTyped ? text : undefined),
		set: (state, text) => ({...state, text}),
		mustBeTyped: ({text}) => text.value.startsWith('name'),
	},
	commands: [
		{
			id: 'wish.grant',
			keys: ['w'],
			label: literal('grant it'),
			isGuarded: true,
			run(shell) {
				wish.change(shell, now => ({...now, granted: now.granted + 1}));
			},
		},
		{
			id: 'wish-text.keep',
			scope: 'wish-text',
			keys: ['enter'],
			label: literal('keep the words'),
			run(shell) {
				wish.change(shell, now => ({...now, isTyped: false}));
			},
		},
		reviewing('wish'),
		closing('wish', ['esc']),
	],
});

const order = dialogState<{readonly form: FormState}>('order');

const orderForm = formDialog(order, {
	widest: 60,
	title: () => titled(literal('Order')),
	send: {
		id: 'order.send',
		label: literal('order it'),
		failed: literal('Not ordered'),
		take: (_, {form: {values}}) => (values['dish'] === '' ? {problem: 'no dish'} : values),
		async act(shell, {dish}) {
			if (dish !== 'soup of the day') {
				throw new Error('the kitchen has soup alone');
			}

			shell.toast(literal('It is on its way'));
		},
	},
});

const orderDialog = defineDialog(order, {title: 'An order', ...orderForm});

const show = async () =>
	showShell(createFakePort(), size, {dialogs: [...dialogs, wishDialog, orderDialog]});

const begun: Wish = {text: lineText(), isTyped: true, granted: 0};

test('a made-up dialog has a box, takes what is typed and pasted, and its own keys', async () => {
	await using shown = await show();
	const {shell, screen} = shown;
	wish.open(shell, begun);
	await screen.settled();
	expect(shown.text()).toContain('A wish');
	expect(shown.text()).toContain('keep the words');

	await screen.press('q', '7');
	await screen.paste(' rain');
	expect(wish.now(shell)?.text.value).toBe('q7 rain');
	expect(shell.view.get().pane).toBe('traffic');

	await screen.press('enter');
	expect(shown.text()).toContain('grant it');
	await screen.press('esc');
	expect(shell.view.get().overlay).toBeUndefined();
});

test('a name that a made-up dialog asks for is not taken from a paste', async () => {
	await using shown = await show();
	wish.open(shown.shell, {...begun, text: lineText('name')});
	await shown.screen.paste('d by a paste');

	expect(shown.text()).toContain('The name has to be typed');
	expect(wish.now(shown.shell)?.text.value).toBe('name');
});

test('the guard of a made-up dialog refuses what comes too early, not alone, or behind a key that was meant for something else', async () => {
	await using shown = await show();
	const {shell} = shown;
	const press = (id: string, alone = true) =>
		handleKey(shell, {id, text: id, t: shown.clock.monotonic(), alone});
	const granted = () => wish.now(shell)?.granted;

	open(shell, {...begun, isTyped: false});
	press('w');
	expect(granted()).toBe(0);
	await shown.pass(600);
	press('w', false);
	expect(granted()).toBe(0);
	await shown.pass(600);
	press('x');
	press('w');
	expect(granted()).toBe(0);
	await shown.pass(600);
	press('w');
	expect(granted()).toBe(1);
});

test('a made-up dialog that comes back is there again when the approval over it was left', async () => {
	await using shown = await showShell(createFakePort({approvals: [makeToolApproval()]}), size, {
		dialogs: [...dialogs, wishDialog],
	});
	wish.open(shown.shell, {...begun, isTyped: false});
	await shown.screen.press('!');
	expect(shown.shell.view.get().overlay?.kind).toBe('approval');
	await shown.screen.press('esc');

	expect(wish.now(shown.shell)?.text.value).toBe('');
	await shown.screen.press('esc');
});

test('a dialog that is not in the list is not opened: it could not be left', async () => {
	await using shown = await showShell(createFakePort(), size);

	expect(() => wish.open(shown.shell, begun)).toThrow('"wish": it is not in the list of dialogs');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('help and keymap have the keys of made-up dialogs under their titles', async () => {
	await using shown = await show();
	const {keys} = shown.shell;

	expect(['wish', 'wish-text', 'order'].map(keys.titleOf)).toEqual([
		'Making a wish',
		'Making a wish, while typing',
		'An order',
	]);
	await shown.screen.press('?', '/');
	await shown.screen.type('wish');
	expect(shown.text()).toContain('Making a wish, while typing');
	expect(shown.text()).toContain('grant it');
});

test('a form in a made-up dialog is filled in with the keys of every form', async () => {
	await using shown = await show();
	const field = {
		key: 'dish',
		title: 'dish',
		description: '',
		kind: 'text',
		required: false,
		masked: false,
	} as const;
	order.open(shown.shell, {form: newForm([field])});
	await shown.screen.press('enter');
	await shown.screen.type('soup');
	await shown.screen.press('enter', 'a');
	// What failed has its form again, with what was filled in.
	expect(shown.said()).toContain('the kitchen has soup alone');
	expect(order.now(shown.shell)?.form.values).toEqual({dish: 'soup'});

	await shown.screen.press('enter');
	await shown.screen.paste(' of the day');
	await shown.screen.press('enter', 'a');
	expect(shown.said()).toContain('It is on its way');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});
