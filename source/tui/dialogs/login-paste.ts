import type {LoginPlace} from '../../core/logins.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {lineText, insertText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {close, closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {blankLine, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {lineDialog, titled, type AskedLine} from './box.ts';

export const loginPaste = dialogState<AskedLine & {readonly place: LoginPlace}>('login-paste');

/** Passes the typed or pasted address to the login. If it is no answer to the login, the field stays open and says why. */
function answer(shell: Shell, url: string): void {
	const {place} = loginPaste.now(shell) ?? {};
	if (!place) {
		return;
	}

	const {problem} = shell.logins.paste(place, url);
	if (problem === undefined) {
		close(shell);
	} else {
		loginPaste.change(shell, now => ({...now, problem: escapeLine(problem)}));
	}
}

/** A paste replaces the whole address, however long; a wrong one can then be corrected. */
function pasteLogin(shell: Shell, text: string): void {
	loginPaste.change(shell, now => ({...now, text: insertText(lineText(), text)}));
	answer(shell, text);
}

const words = [
	'Paste the whole address that the browser ended on: that of a page that does not load.',
	'It is good for this login alone, and once.',
];

/** Asks for the address at which the login's browser ended. */
export const loginPasteDialog = defineDialog(loginPaste, {
	title: 'Pasting the URL of a login',
	...lineDialog(
		({place}) => [
			...titled(literal('Paste the URL of the browser')),
			[{text: escapeLine(place.server)}],
		],
		(_, width) => [...words.flatMap(one => told(one, width, 'quiet')), blankLine],
	),
	paste: pasteLogin,
	commands: [
		onKeys(['login-paste.send', 'enter'], literal('take this address'), {
			changes: true,
			run: shell => answer(shell, loginPaste.now(shell)?.text.value ?? ''),
		}),
		closing('login-paste', ['esc', 'ctrl+c'], literal('back; the login waits on')),
	],
});
