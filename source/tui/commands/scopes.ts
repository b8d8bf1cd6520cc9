import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {Paste} from '../../terminal/input/paste-collector.ts';
import {isForbidden, perform} from '../acts/command.ts';
import {dialogNow} from '../acts/dialog.ts';
import {formNow, isTyping, typeKey, typePaste} from '../dialogs/form.ts';
import type {RouteOptions} from '../input/key-router.ts';
import type {Shell} from '../shell/shell.ts';

/** The scopes whose keys hold now, innermost first. An open dialog takes every key. */
export function scopesNow(shell: Shell): RouteOptions<Shell> {
	const {overlay, field} = shell.view.get();
	if (overlay) {
		return {...ofDialog(shell), context: shell};
	}

	const {id, typing} = shell.section();
	if (typing && !field) {
		return {scopes: [id], textFocused: true, context: shell};
	}

	return field
		? {scopes: ['field'], textFocused: true, context: shell}
		: {scopes: ['banner', id, 'global'], textFocused: false, context: shell};
}

/** A form has its own scopes, and so does a sheet while something is typed into it. */
function ofDialog(shell: Shell): Omit<RouteOptions<Shell>, 'context'> {
	const {dialog, state} = dialogNow(shell) ?? {};
	if (!dialog || !state) {
		return {scopes: [], textFocused: false};
	}

	const textFocused = isTyping(shell);
	const {scope} = dialog;
	const form = formNow(shell);
	if (form) {
		return {scopes: form.editing ? ['form-text'] : ['form', scope], textFocused};
	}

	return textFocused && dialog.typesApart
		? {scopes: [`${scope}-text`], textFocused}
		: {scopes: [scope], textFocused: textFocused || dialog.takesText?.(state) === true};
}

/** Handles every key. Returns whether it was used; only then unused keys go to a focused text field. */
export const handleKey = (shell: Shell, key: KeyEvent): boolean =>
	orSay(shell, () => takeKey(shell, key));

/** Turns an unexpected error of a command into a toast: it must not end the gateway. */
function orSay(shell: Shell, take: () => boolean): boolean {
	try {
		return take();
	} catch (error) {
		shell.toast(escapeLine(messageOf(error)), 'bad');
		return true;
	}
}

function takeKey(shell: Shell, key: KeyEvent): boolean {
	if (!shell.guard.hears(key)) {
		shell.guard.disturbed(key.t);
		return true;
	}

	shell.noteKey();
	const open = dialogNow(shell);
	shell.pane().focus?.hold?.(shell);
	if (open?.dialog.press?.(shell, open.state, key) === true) {
		return true;
	}

	const options = scopesNow(shell);
	const {router, commandOf} = shell.keys;
	const binding = router.route(key, options);
	const command = binding && commandOf(binding.id);
	if (command) {
		if (command.isGuarded === true && !isForbidden(command, shell) && !mayDo(shell, key)) {
			return true;
		}

		perform(command, shell);
		return true;
	}

	return takeText(shell, key) || !options.textFocused;
}

/** Whether a key press may run a guarded command, as the open dialog decides. */
const mayDo = (shell: Shell, key: KeyEvent): boolean =>
	dialogNow(shell)?.dialog.guard?.(shell, key) === true;

/** Handles a key that no command takes: text for a focused line, or typing that was not meant for the sheet. */
function takeText(shell: Shell, key: KeyEvent): boolean {
	if (isTyping(shell)) {
		typeKey(shell, key);
		return true;
	}

	const {overlay, field} = shell.view.get();
	const {typing} = shell.section();
	if (typing && !overlay && !field) {
		typing.key(shell, key);
		return true;
	}

	if (dialogNow(shell)?.dialog.isWatched) {
		shell.guard.disturbed(key.t);
	}

	return false;
}

/** Handles every paste: it goes into the focused line and never triggers a command. Returns whether it was used. */
export const handlePaste = (shell: Shell, paste: Pick<Paste, 'text' | 't'>): boolean =>
	orSay(shell, () => takePaste(shell, paste));

function takePaste(shell: Shell, {text, t}: Pick<Paste, 'text' | 't'>): boolean {
	const {overlay, field} = shell.view.get();
	const {typing} = shell.section();
	if (typing && !overlay && !field) {
		typing.paste(shell, text);
		return true;
	}

	const {dialog} = dialogNow(shell) ?? {};
	if (dialog?.paste) {
		dialog.paste(shell, text);
		return true;
	}

	if (!dialog?.line && !dialog?.form && !dialog?.isWatched) {
		return false;
	}

	if (isTyping(shell)) {
		typePaste(shell, text);
	} else {
		shell.guard.disturbed(t);
	}

	return true;
}
