import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {isTyped} from '../forms/field-kinds.ts';
import {moveKeys, turnKeys, type FormKey} from '../forms/form-keys.ts';
import {fieldTitle} from '../forms/form-lines.ts';
import {
	actOnField,
	contentOf,
	currentField,
	endEditing,
	firstInvalidField,
	leaveEditing,
	moveField,
	type FormState,
} from '../forms/form.ts';
import {keyForm} from '../keys/key-card.ts';
import {clean} from '../lines/line.ts';
import {setupForm, withSetupForm} from '../setup/setup-card.ts';
import type {Shell} from '../shell/shell.ts';
import type {Command} from './command.ts';
import {copyText} from './copy.ts';
import {changeOverlay} from './overlay-state.ts';
import {answer} from './settle.ts';
import {changeSheet, goToStep, scrollSheet, sheetNow} from './sheet.ts';

/** The form that is open: one that a server wants filled in, the arguments of a tool that is tried, a step of setting up the receiver, a key that is made. */
export function formNow({view}: Pick<Shell, 'view'>): FormState | undefined {
	const {overlay} = view.get();
	if (overlay?.kind === 'trial') {
		return overlay.trial.form;
	}

	if (overlay?.kind === 'setup') {
		return setupForm(overlay.card);
	}

	if (overlay?.kind === 'key') {
		return keyForm(overlay.card);
	}

	return overlay?.kind === 'approval' && overlay.sheet.step.kind === 'form'
		? overlay.sheet.step.form
		: undefined;
}

/** Changes the form that is open, and scrolls to the field that keys act on. */
export function changeForm(shell: Shell, update: (form: FormState) => FormState): void {
	const form = formNow(shell);
	if (!form) {
		return;
	}

	if (isOfServer(shell)) {
		goToStep(shell, {kind: 'form', form: update(form)});
		const layout = sheetNow(shell)?.layout();
		changeSheet(shell, layout ? {top: layout.cursorTop} : {});
	} else {
		changeOverlay(shell, 'setup', ({kind, card}) => ({
			kind,
			card: withSetupForm(card, update(form)),
		}));
		changeOverlay(shell, 'key', ({kind}) => ({kind, card: {kind: 'form', form: update(form)}}));
		changeOverlay(shell, 'trial', ({trial}) => ({
			kind: 'trial',
			trial: {...trial, form: update(trial.form)},
		}));
	}
}

/** Keeps what is typed and goes on typing in the field beside it, where that takes text: no letter of it may be a key of the sheet. */
function typeOn(form: FormState, step: 1 | -1): FormState {
	const kept = endEditing(form);
	const next = moveField(kept, step);
	const field = currentField(next);
	return next !== kept && field && isTyped(field) ? actOnField(next) : next;
}

const isOfServer = (shell: Shell): boolean => shell.view.get().overlay?.kind === 'approval';

/** What a key means in every form; from the first and the last field of a sheet on to what stands above and below. */
function act(shell: Shell, {step, act: update}: FormKey): void {
	const form = formNow(shell);
	const isAtEnd = form !== undefined && (update(form) === form || !Number.isFinite(step ?? 0));
	changeForm(shell, update);
	if (isAtEnd && step !== undefined && isOfServer(shell)) {
		scrollSheet(shell, step);
	}
}

function submit(shell: Shell): void {
	const form = formNow(shell);
	if (!form) {
		return;
	}

	if (isComplete(shell, literal('Not sent'))) {
		answer(shell, {choice: 'submit', content: contentOf(form)});
	}
}

/** Whether the open form can be sent; goes to the first field that is wrong, and says what `failed` for it. */
export function isComplete(shell: Shell, failed: Safe): boolean {
	const form = formNow(shell);
	const wrong = form && firstInvalidField(form);
	if (wrong) {
		const {field, index, problem} = wrong;
		changeForm(shell, current => ({...current, index, option: 0}));
		shell.toast(safe`${failed}: ${fieldTitle(field)} ${clean(problem)}`, 'warn');
	}

	return form !== undefined && !wrong;
}

const keyOfForm = (key: FormKey): Command => ({
	id: `form.${key.id}`,
	scope: 'form',
	keys: key.keys,
	label: key.label,
	quiet: key.id !== 'down',
	run(shell) {
		act(shell, key);
	},
});

const changing = (
	id: string,
	keys: readonly string[],
	{
		label,
		update,
	}: {readonly label: Command['label']; readonly update: (form: FormState) => FormState},
): Command => ({
	id: `form.${id}`,
	changes: true,
	scope: 'form',
	keys,
	label,
	run(shell) {
		changeForm(shell, update);
	},
});

/** Keys of a form: between its fields, and in what is typed. */
export const formCommands: readonly Command[] = [
	{
		id: 'form.send',
		changes: true,
		scope: 'form',
		keys: ['a'],
		label: literal('send these values'),
		quiet: true,
		isGuarded: true,
		when: isOfServer,
		run: submit,
	},
	changing('edit', ['enter'], {label: literal('type or choose'), update: actOnField}),
	...[...moveKeys, ...turnKeys].map(keyOfForm),
	{
		id: 'form.copy',
		scope: 'form',
		keys: ['y'],
		label: literal('copy the values, but no secrets'),
		quiet: true,
		run(shell) {
			const form = formNow(shell);
			if (form) {
				const open = {...form, fields: form.fields.filter(({masked}) => !masked)};
				shell.attempt(async () =>
					copyText(shell, JSON.stringify(contentOf(open), undefined, 2), literal('values')),
				);
			}
		},
	},
	{
		id: 'form-text.keep',
		scope: 'form-text',
		keys: ['enter', 'esc'],
		label: literal('keep it'),
		run(shell) {
			changeForm(shell, endEditing);
		},
	},
	{
		id: 'form-text.next',
		scope: 'form-text',
		keys: ['tab', 'down'],
		label: literal('keep it, next field'),
		run(shell) {
			changeForm(shell, form => typeOn(form, 1));
		},
	},
	{
		id: 'form-text.previous',
		scope: 'form-text',
		keys: ['shift+tab', 'up'],
		label: literal('keep it, previous field'),
		quiet: true,
		run(shell) {
			changeForm(shell, form => typeOn(form, -1));
		},
	},
	{
		id: 'form-text.leave',
		scope: 'form-text',
		keys: ['ctrl+c'],
		label: literal('leave it as it was'),
		run(shell) {
			changeForm(shell, leaveEditing);
		},
	},
];
