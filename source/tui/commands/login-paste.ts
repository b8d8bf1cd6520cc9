import {lineText, insertText, type LineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {changeOverlay, close, closing} from '../acts/overlay-state.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';

/** Gives the login what was typed or pasted; the field stays open, and says why, when that is no answer to it. */
function answer(shell: Shell, url: string): void {
	const {overlay} = shell.view.get();
	if (overlay?.kind !== 'login-paste') {
		return;
	}

	const {problem} = shell.logins.paste(overlay.place, url);
	if (problem === undefined) {
		close(shell);
		return;
	}

	changeOverlay(shell, 'login-paste', now => ({...now, problem: clean(problem)}));
}

/** A paste is the whole address, however long; what is no answer can be looked at and mended. */
export function pasteLogin(shell: Shell, text: string): void {
	changeOverlay(shell, 'login-paste', now => ({...now, text: insertText(lineText(), text)}));
	answer(shell, text);
}

/** Changes the line that is typed; `false` where nobody asks for one. */
export function changeLoginLine(shell: Shell, update: (line: LineText) => LineText): boolean {
	if (shell.view.get().overlay?.kind !== 'login-paste') {
		return false;
	}

	changeOverlay(shell, 'login-paste', ({problem: _problem, text, ...rest}) => ({
		...rest,
		text: update(text),
	}));
	return true;
}

/** Keys of the field for the address that a browser ended on. */
export const loginPasteCommands: readonly Command[] = [
	{
		id: 'login-paste.send',
		changes: true,
		scope: 'login-paste',
		keys: ['enter'],
		label: literal('take this address'),
		run(shell) {
			const {overlay} = shell.view.get();
			if (overlay?.kind === 'login-paste') {
				answer(shell, overlay.text.value);
			}
		},
	},
	closing('login-paste', ['esc', 'ctrl+c'], literal('back; the login waits on')),
];
