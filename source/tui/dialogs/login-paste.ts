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

/** Gives the login what was typed or pasted; the field stays open, and says why, when that is no answer to it. */
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

/** A paste is the whole address, however long; what is no answer can be looked at and mended. */
function pasteLogin(shell: Shell, text: string): void {
	loginPaste.change(shell, now => ({...now, text: insertText(lineText(), text)}));
	answer(shell, text);
}

const words = [
	'Paste the whole address that the browser ended on: that of a page that does not load.',
	'It is good for this login alone, and once.',
];

/** Asks for the address that the browser of a login ended on. */
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
