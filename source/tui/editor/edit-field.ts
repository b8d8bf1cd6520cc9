import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {splitGraphemes} from '../../terminal/text/line-editor.ts';
import {
	actOnField,
	endEditing,
	leaveEditing,
	pasteInto,
	typeInto,
	type FormState,
} from '../forms/form.ts';
import type {Shell} from '../shell/shell.ts';
import {editByHand} from './by-hand.ts';
import {begunWord, completionsOf} from './completions.ts';
import {changeEditor, editorNow, type EditorState} from './editor-state.ts';
import {refresh} from './refresh.ts';
import {fieldNow, routeForm, withForm} from './route-form.ts';

/** Changes the form of the route; what it would do is asked anew when something else than its place changed. */
export function changeRouteForm(shell: Shell, update: (form: FormState) => FormState): void {
	const before = editorNow(shell);
	changeEditor(shell, state => {
		const next = withForm(state, update(routeForm(state)));
		const isTyping = next.place.editing !== undefined;
		return {...next, completion: isTyping ? beginsCompletion(next, state) : undefined};
	});
	const after = editorNow(shell);
	if (before?.draft !== after?.draft || before?.place.editing !== after?.place.editing) {
		refresh(shell);
	}
}

/** Words are offered as soon as something is typed that begins one. */
const beginsCompletion = (state: EditorState, before: EditorState): number | undefined =>
	before.place.editing && begunWord(state) ? 0 : undefined;

/** Types into the field, or takes its next value. */
export function enterField(shell: Shell): void {
	const state = editorNow(shell);
	const field = state && fieldNow(state);
	if (field?.byHand === true) {
		editByHand(shell, field.path.join('.'));
		return;
	}

	changeRouteForm(shell, actOnField);
}

/** Ends typing; what was typed becomes the value, also where it cannot be one: its row says so. */
export function keepTyped(shell: Shell): void {
	changeRouteForm(shell, endEditing);
}

/** Ends typing; the value stays what it was. */
export function leaveTyped(shell: Shell): void {
	changeRouteForm(shell, leaveEditing);
}

/** Gives a key to what is typed. */
export function typeInField(shell: Shell, key: Pick<KeyEvent, 'id' | 'text'>): void {
	changeRouteForm(shell, form => typeInto(form, key));
}

/** Puts a paste into what is typed. */
export function pasteInField(shell: Shell, pasted: string): void {
	changeRouteForm(shell, form => pasteInto(form, pasted));
}

/** Writes the chosen word out. */
export function complete(shell: Shell): void {
	const state = editorNow(shell);
	const chosen = state && completionsOf(state)[state.completion ?? 0];
	const begun = state && begunWord(state);
	if (chosen === undefined || begun === undefined) {
		return;
	}

	changeRouteForm(shell, form =>
		pasteInto(
			splitGraphemes(begun.word).reduce(rest => typeInto(rest, {id: 'backspace', text: ''}), form),
			chosen + begun.behind,
		),
	);
}

/** Another one of what can complete a `{`. */
export const moveCompletion = (step: 1 | -1) => (shell: Shell) => {
	changeEditor(shell, state => {
		const {length} = completionsOf(state);
		const {completion = 0} = state;
		return {...state, completion: length === 0 ? 0 : (completion + step + length) % length};
	});
};
