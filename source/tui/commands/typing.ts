import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {editLine, insertText, type LineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import {changeForm, formNow} from '../acts/form.ts';
import {goToStep} from '../acts/sheet.ts';
import {changeTypedName} from '../acts/type-name.ts';
import {pasteInto, typeInto} from '../forms/form.ts';
import type {Shell} from '../shell/shell.ts';
import {changeInstallLine} from './install.ts';
import {changeLoginLine} from './login-paste.ts';

/** Whether a line of ours has the keyboard: a tool's name, a reason, a field of a form. */
export function isTyping(shell: Pick<Shell, 'view'>): boolean {
	const {overlay} = shell.view.get();
	const step = overlay?.kind === 'approval' ? overlay.sheet.step.kind : undefined;
	if (overlay?.kind === 'install') {
		return overlay.sheet.step.kind !== 'choose';
	}

	return (
		overlay?.kind === 'install-link' ||
		overlay?.kind === 'login-paste' ||
		overlay?.kind === 'type-name' ||
		step === 'name' ||
		step === 'reason' ||
		formNow(shell)?.editing !== undefined
	);
}

/** Gives a key to the line that has the keyboard; nothing where there is none. */
export function typeKey(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void {
	if (formNow(shell)) {
		changeForm(shell, form => typeInto(form, key));
	} else {
		changeLine(shell, line => editLine(line, key) ?? line);
	}
}

/** Puts a paste into the line that has the keyboard. A name that is asked for has to be typed: a paste can hold a line break, and was not thought about. */
export function typePaste(shell: Shell, text: string): void {
	const {overlay} = shell.view.get();
	if (
		overlay?.kind === 'type-name' ||
		(overlay?.kind === 'approval' && overlay.sheet.step.kind === 'name') ||
		(overlay?.kind === 'install' && overlay.sheet.step.kind === 'confirm')
	) {
		shell.toast(literal('The name has to be typed'), 'warn');
	} else if (formNow(shell)) {
		changeForm(shell, form => pasteInto(form, text));
	} else {
		changeLine(shell, line => insertText(line, text));
	}
}

function changeLine(shell: Shell, update: (line: LineText) => LineText): void {
	if (
		changeInstallLine(shell, update) ||
		changeLoginLine(shell, update) ||
		changeTypedName(shell, update)
	) {
		return;
	}

	const {overlay} = shell.view.get();
	const step = overlay?.kind === 'approval' ? overlay.sheet.step : undefined;
	if (step?.kind === 'name' || step?.kind === 'reason') {
		goToStep(shell, {...step, text: update(step.text)});
	}
}
