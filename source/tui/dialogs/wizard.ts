import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type ListedCommand} from '../acts/command.ts';
import {
	close,
	dialogNow,
	scrolling,
	type BoxContent,
	type DialogOf,
	type DialogState,
	type ScrollOptions,
} from '../acts/dialog.ts';
import {review} from '../acts/settle.ts';
import {saveKeys} from '../forms/form-keys.ts';
import {fieldTitle, formLines} from '../forms/form-lines.ts';
import {firstInvalidField, isUntouched, type FormState} from '../forms/form.ts';
import {blankLine, type Line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {boxOf} from './box.ts';
import {changeForm, formNow} from './form.ts';
import {askToDrop} from './questions.ts';

/** A form in the box of a dialog. */
type FormPage = Pick<BoxContent, 'title'> & {
	readonly form: FormState;
	/** Rows above the fields. */
	readonly head?: readonly Line[];
	/** Rows below the fields: the keys that send the form. */
	readonly foot?: readonly Line[];
};

/** A form in `width` cells, between its introduction and its keys. */
export function formBox(
	{form, title, head = [blankLine], foot = []}: FormPage,
	width: number,
): BoxContent {
	const {rows, cursor} = formLines(form, width);
	return {title, width, rows: [...head, ...rows, ...foot], shown: head.length + cursor.last};
}

/** Whether the open form can be sent. If not, goes to the first invalid field, and shows `failed` with the reason. `problem`: a reason that concerns no single field. */
export function isComplete(shell: Shell, failed: Safe, problem?: string): boolean {
	const form = formNow(shell);
	const wrong = form && firstInvalidField(form);
	if (wrong) {
		const {field, index} = wrong;
		changeForm(shell, current => ({...current, index, option: 0}));
		shell.toast(safe`${failed}: ${fieldTitle(field)} ${escapeLine(wrong.problem)}`, 'warn');
	} else if (problem !== undefined) {
		shell.toast(safe`${failed}: ${escapeLine(problem)}`, 'warn');
	}

	return form !== undefined && !wrong && problem === undefined;
}

/**
 * Closes a dialog and runs `act`. If that fails, the dialog is opened again with its state, unless the person has moved on. A second key press while `act` runs
 * does nothing.
 */
function send<State>(shell: Shell, dialog: DialogState<State>, act: () => Promise<void>): void {
	const state = dialog.now(shell);
	const {pane} = shell.view.get();
	close(shell);
	shell.attempt(async () => {
		try {
			await act();
		} catch (error) {
			const now = shell.view.get();
			if (state && !now.overlay && !now.field && now.pane === pane) {
				dialog.open(shell, state);
			}

			throw error;
		}
	});
}

/** Reads and writes the form in a dialog's state. */
export const ofForm = <State extends {readonly form: FormState}>(): NonNullable<
	DialogOf<State>['form']
> => ({get: ({form}) => form, set: (state, form) => ({...state, form})});

/** Reads and writes the text in a dialog's state; it is always focused. */
export const ofText = <State extends {readonly text: LineText}>(): NonNullable<
	DialogOf<State>['line']
> => ({get: ({text}) => text, set: (state, text) => ({...state, text})});

type ScrolledDialog<State extends {readonly top: number}> = {
	readonly id: string;
	readonly title: Safe;
	readonly widest: number;
	readonly rows: (state: State, width: number, shell: Shell) => readonly Line[];
	readonly more?: ScrollOptions['more'];
};

/** A dialog whose rows scroll in its box. */
export const scrolledDialog = <State extends {readonly top: number}>(
	dialog: DialogState<State>,
	{id, title, widest, rows, more}: ScrolledDialog<State>,
): Required<Pick<DialogOf<State>, 'contents' | 'commands'>> => ({
	contents(state, shell, room) {
		const box = boxOf(room, {title, widest}, width => rows(state, width, shell));
		const top = Math.max(0, Math.min(state.top, box.rows.length - room.height));
		return {...box, rows: box.rows.slice(top, top + Math.max(1, room.height)), top};
	},
	commands: scrolling(
		id,
		(shell, by) => dialog.change(shell, state => ({...state, top: Math.max(0, state.top + by)})),
		{names: ['down', 'up'], more},
	),
});

type FormDialog<State extends {readonly form: FormState}, Taken extends object> = {
	readonly widest: number;
	readonly title: (state: State) => FormPage['title'];
	readonly head?: (state: State, width: number) => readonly Line[];
	/** The keys that send the form. */
	readonly foot?: string;
	readonly send: Pick<ListedCommand, 'id' | 'label'> & {
		/** Shown when the form is not sent: `Not called`. */
		readonly failed: Safe;
		readonly take: (shell: Shell, state: State) => Taken | {readonly problem: string};
		readonly act: (shell: Shell, taken: Taken) => Promise<void>;
	};
};

/** A dialog with one form, sent by `a`. `take` reads the values, or returns a problem that concerns no single field. */
export const formDialog = <State extends {readonly form: FormState}, Taken extends object>(
	dialog: DialogState<State>,
	{widest, title, head, foot, send: {failed, take, act, ...command}}: FormDialog<State, Taken>,
): Pick<DialogOf<State>, 'comesBack' | 'contents' | 'commands' | 'form'> => ({
	contents(state, _shell, room) {
		const width = Math.min(room.width, widest);
		return formBox(
			{
				form: state.form,
				title: title(state),
				...(head && {head: head(state, width)}),
				...(foot !== undefined && {foot: [blankLine, ...told(foot, width, 'quiet')]}),
			},
			width,
		);
	},
	form: ofForm(),
	comesBack: true,
	commands: [
		{
			...command,
			changes: true,
			keys: saveKeys,
			run(shell) {
				const state = dialog.now(shell);
				const taken = state && take(shell, state);
				if (!taken) {
					return;
				}

				if ('problem' in taken) {
					isComplete(shell, failed, taken.problem);
				} else if (isComplete(shell, failed)) {
					send(shell, dialog, async () => act(shell, taken));
				}
			},
		},
	],
});

/** The command that leaves a form's dialog; asks first unless `isUntouched` says that nothing was filled in. */
export const leavingForm = (
	id: string,
	label: Safe,
	{
		leave = close,
		isUntouched: hasNothing = shell => {
			const form = formNow(shell);
			return !form || isUntouched(form);
		},
	}: {
		readonly leave?: (shell: Shell) => void;
		readonly isUntouched?: (shell: Shell) => boolean;
	} = {},
): ListedCommand =>
	onKeys([`${id}.close`, 'esc', 'ctrl+c', 'q'], label, {
		run(shell) {
			if (hasNothing(shell)) {
				leave(shell);
			} else {
				askToDrop(shell, {run: leave, under: dialogNow(shell)?.state});
			}
		},
	});

/** The command that reviews waiting requests over a dialog, which is shown again afterwards. */
export const reviewing = (id: string): ListedCommand =>
	onKeys([`${id}.review`, '!'], literal('review approvals'), {quiet: true, run: review});
