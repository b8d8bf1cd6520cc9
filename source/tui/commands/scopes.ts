import {messageOf} from '../../core/errors.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {Paste} from '../../terminal/input/paste-collector.ts';
import {isForbidden, perform, type KeyScope} from '../acts/command.ts';
import {formNow} from '../acts/form.ts';
import {mayKey} from '../acts/key.ts';
import {change} from '../acts/navigate.ts';
import {mayAllow} from '../acts/sheet.ts';
import type {RouteOptions} from '../input/key-router.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {mayInstall} from './install-sheet.ts';
import {pasteLink} from './install.ts';
import {pasteLogin} from './login-paste.ts';
import {commandOf, router} from './table.ts';
import {isTyping, typeKey, typePaste} from './typing.ts';

/** Who has the keyboard now, innermost first. What lies over the panes keeps every key to itself. */
export function scopesNow(shell: Shell): RouteOptions<Shell> {
	const {overlay, field} = shell.view.get();
	const ofForm = formScopes(shell);
	if (ofForm) {
		return {scopes: ofForm, textFocused: isTyping(shell), context: shell};
	}

	if (overlay?.kind === 'install' && isTyping(shell)) {
		return {scopes: ['install-text'], textFocused: true, context: shell};
	}

	if (overlay) {
		const textFocused =
			overlay.kind === 'palette' ||
			overlay.kind === 'install-link' ||
			overlay.kind === 'login-paste' ||
			overlay.kind === 'type-name' ||
			(overlay.kind === 'help' && overlay.isSearching);
		return {scopes: [overlay.kind], textFocused, context: shell};
	}

	const {id, typing} = shell.section();
	if (typing && !field) {
		return {scopes: [id], textFocused: true, context: shell};
	}

	return field
		? {scopes: ['field'], textFocused: true, context: shell}
		: {scopes: ['banner', id, 'global'], textFocused: false, context: shell};
}

const hasForms: ReadonlySet<string> = new Set(['approval', 'trial', 'setup', 'key']);

/** A sheet and a form have scopes of their own while something is typed into them. */
function formScopes(shell: Shell): readonly KeyScope[] | undefined {
	const {overlay} = shell.view.get();
	if (!overlay || !hasForms.has(overlay.kind)) {
		return undefined;
	}

	const form = formNow(shell);
	if (form) {
		return form.editing ? ['form-text'] : ['form', overlay.kind];
	}

	return [isTyping(shell) ? 'approval-text' : overlay.kind];
}

/**
 * The one key handler. Returns whether the key was taken; only a text field with the focus gets what was not.
 */
export const handleKey = (shell: Shell, key: KeyEvent): boolean =>
	orSay(shell, () => takeKey(shell, key));

/** What meets what it did not expect must not take the gateway with it. */
function orSay(shell: Shell, take: () => boolean): boolean {
	try {
		return take();
	} catch (error) {
		shell.toast(clean(messageOf(error)), 'bad');
		return true;
	}
}

function takeKey(shell: Shell, key: KeyEvent): boolean {
	if (!shell.guard.hears(key)) {
		shell.guard.disturbed(key.t);
		return true;
	}

	shell.noteKey();
	const {overlay} = shell.view.get();
	shell.pane().focus?.hold(shell);

	if (overlay?.kind === 'menu') {
		const item = overlay.items.find(entry => entry.key === key.id);
		if (item) {
			change(shell, {overlay: undefined});
			item.run();
			return true;
		}
	}

	const options = scopesNow(shell);
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

/** Whether a key press may do something that is guarded: what is asked has to be on the screen. */
export const mayDo = (shell: Shell, key: KeyEvent): boolean => {
	const {overlay} = shell.view.get();
	return (judges[overlay?.kind ?? 'approval'] ?? mayAllow)(shell, key);
};

const judges: Partial<Record<KeyScope, (shell: Shell, key: KeyEvent) => boolean>> = {
	install: mayInstall,
	key: mayKey,
};

/** What somebody who types does not mean. */
const watched: ReadonlySet<string> = new Set(['approval', 'install', 'key']);

/** A key that no command takes: text for a line of ours, or a sign that somebody types who does not mean the sheet. */
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

	if (overlay && watched.has(overlay.kind)) {
		shell.guard.disturbed(key.t);
	}

	return false;
}

const takesPastes: ReadonlySet<string> = new Set([
	'approval',
	'trial',
	'setup',
	'key',
	'install',
	'type-name',
]);

/** The one handler of pastes: what is pasted goes into a line that has the keyboard, and never does anything else. Returns whether it was taken. */
export const handlePaste = (shell: Shell, paste: Pick<Paste, 'text' | 't'>): boolean =>
	orSay(shell, () => takePaste(shell, paste));

function takePaste(shell: Shell, {text, t}: Pick<Paste, 'text' | 't'>): boolean {
	const {overlay, field} = shell.view.get();
	const {kind} = overlay ?? {};
	const {typing} = shell.section();
	if (typing && !overlay && !field) {
		typing.paste(shell, text);
		return true;
	}

	if (kind === 'install-link') {
		pasteLink(shell, text);
		return true;
	}

	if (kind === 'login-paste') {
		pasteLogin(shell, text);
		return true;
	}

	if (kind === undefined || !takesPastes.has(kind)) {
		return false;
	}

	if (isTyping(shell)) {
		typePaste(shell, text);
	} else {
		shell.guard.disturbed(t);
	}

	return true;
}
