import {contentOf, isTyped} from '../../nouns/field-kinds.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {editLine, insertText, type LineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command, type ListedCommand} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {dialogNow, isPage} from '../acts/dialog.ts';
import {change} from '../acts/navigate.ts';
import {review} from '../acts/settle.ts';
import {approvalSheet} from '../acts/sheet.ts';
import {moveKeys, turnKeys, type FormKey} from '../forms/form-keys.ts';
import {
	actOnField,
	currentField,
	endEditing,
	leaveEditing,
	moveField,
	pasteInto,
	typeInto,
	type FormState,
} from '../forms/form.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';
import {openHelp} from './help.ts';

/** The form of the open dialog. */
export function formNow(shell: Shell): FormState | undefined {
	const now = dialogNow(shell);
	return now?.dialog.form?.get(now.state);
}

/** Changes the form that is open. */
export function changeForm(shell: Shell, update: (form: FormState) => FormState): void {
	const {dialog, state} = dialogNow(shell) ?? {};
	const form = state && dialog?.form?.get(state);
	if (form) {
		changeTyped(shell, dialog?.form?.set(state, update(form)) ?? state);
		dialog?.form?.changed?.(shell);
	}
}

/** Changes the open dialog after typing, and removes the toast, which would hide a page's keys. */
function changeTyped(shell: Shell, next: Overlay): void {
	const {overlay} = shell.view.get();
	change(shell, {
		overlay: overlay && {...next, kind: overlay.kind},
		...(isPage(shell) && {toast: undefined}),
	});
}

/** The focused line of the open dialog. */
const lineNow = (shell: Shell): LineText | undefined => {
	const now = dialogNow(shell);
	return now?.dialog.line?.get(now.state);
};

/** Whether a line drawn by svc is focused: a tool's name, a reason, a field of a form. */
export const isTyping = (shell: Shell): boolean =>
	lineNow(shell) !== undefined || formNow(shell)?.editing !== undefined;

function changeLine(shell: Shell, update: (line: LineText) => LineText): void {
	const {dialog, state} = dialogNow(shell) ?? {};
	const line = state && dialog?.line?.get(state);
	if (line) {
		changeTyped(shell, dialog?.line?.set(state, update(line)) ?? state);
	}
}

/** Passes a key to the focused line, if any. */
export function typeKey(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void {
	if (formNow(shell)) {
		changeForm(shell, form => typeInto(form, key));
	} else {
		changeLine(shell, line => editLine(line, key) ?? line);
	}
}

/** Inserts a paste into the focused line. A name asked for as confirmation must be typed: a paste takes no thought and may contain a line break. */
export function typePaste(shell: Shell, text: string): void {
	const {dialog, state} = dialogNow(shell) ?? {};
	if (state && dialog?.line?.mustBeTyped?.(state) === true) {
		shell.toast(literal('The name has to be typed'), 'warn');
	} else if (formNow(shell)) {
		changeForm(shell, form => pasteInto(form, text));
	} else {
		changeLine(shell, line => insertText(line, text));
	}
}

/** Keeps what was typed and moves to the next field, still typing if it takes text: none of the letters may act as a key of the sheet. */
function typeOn(form: FormState, step: 1 | -1): FormState {
	const kept = endEditing(form);
	const next = moveField(kept, step);
	const field = currentField(next);
	return next !== kept && field && isTyped(field) ? actOnField(next) : next;
}

/** Applies a key to the form; its dialog is told of a move beyond the first or the last field. */
function press(shell: Shell, {step, act: update}: FormKey): void {
	const form = formNow(shell);
	const isAtEnd = form !== undefined && (update(form) === form || !Number.isFinite(step ?? 0));
	changeForm(shell, update);
	if (isAtEnd && step !== undefined) {
		dialogNow(shell)?.dialog.form?.leftBy?.(shell, step);
	}
}

const keyOfForm = (key: FormKey): ListedCommand =>
	onKeys([`form.${key.id}`, ...key.keys], key.label, {
		quiet: true,
		run: shell => press(shell, key),
	});

const changing = (update: (form: FormState) => FormState) => (shell: Shell) =>
	changeForm(shell, update);

const betweenFields: readonly ListedCommand[] = [
	onKeys(['form.edit', 'enter'], literal('edit'), {changes: true, run: changing(actOnField)}),
	...[...moveKeys, ...turnKeys].map(keyOfForm),
	onKeys(['form.help', '?'], literal('help'), {run: openHelp}),
	onKeys(['form.copy', 'y'], literal('copy the values, but no secrets'), {
		quiet: true,
		run: copying(literal('values'), shell => {
			const {fields = [], values = {}} = formNow(shell) ?? {};
			const open = {values, fields: fields.filter(({masked}) => !masked)};
			return JSON.stringify(contentOf(open), undefined, 2);
		}),
	}),
];

const whileTyping: readonly ListedCommand[] = [
	onKeys(['form-text.keep', 'enter', 'esc'], literal('keep it'), {run: changing(endEditing)}),
	onKeys(['form-text.next', 'tab', 'down'], literal('keep it, next field'), {
		run: changing(form => typeOn(form, 1)),
	}),
	onKeys(['form-text.previous', 'shift+tab', 'up'], literal('keep it, previous field'), {
		quiet: true,
		run: changing(form => typeOn(form, -1)),
	}),
	onKeys(['form-text.leave', 'ctrl+c'], literal('leave it as it was'), {
		run: changing(leaveEditing),
	}),
	onKeys(['form-text.review', 'alt+a'], literal('review approvals'), {
		quiet: true,
		when: shell => !approvalSheet.isOpen(shell),
		run: review,
	}),
];

/** Keys that move between fields, and keys while typing in one. */
export const formCommands: readonly Command[] = [
	...inScope('form', betweenFields),
	...inScope('form-text', whileTyping),
];
