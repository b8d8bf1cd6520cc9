import {withValueAt} from '../../core/json-path.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys, type PaneCommand} from '../acts/command.ts';
import {moveKeys, pageKeys, saveKeys, turnKeys} from '../forms/form-keys.ts';
import {
	clearField,
	endEditing,
	leaveEditing,
	moveField,
	type FormState,
	isArea,
} from '../forms/form.ts';
import type {Shell} from '../shell/shell.ts';
import {draftLines} from './draft-lines.ts';
import {changeDraft} from './draft.ts';
import {editAsJson} from './edit-as-json.ts';
import {changeRouteForm, writeChosenWord, enterField, moveCompletion} from './edit-field.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {findAct} from './find-field.ts';
import {addKey, listMembers, withMember} from './list-setting.ts';
import {refresh, updateDraft} from './refresh.ts';
import {fieldNow} from './route-form.ts';
import {isTemplate} from './route-rows.ts';
import {leaveEditor, reviewSave, undoChange} from './save-draft.ts';
import {toMake} from './shown-value.ts';

/** Another one of the deliveries that the draft is shown with. */
const otherDelivery = (step: 1 | -1) => (shell: Shell) => {
	changeEditor(shell, state => ({
		...state,
		sideTop: 0,
		delivery: Math.max(0, Math.min(state.delivery + step, state.deliveries.length - 1)),
	}));
	refresh(shell);
};

const sideStep = 8;

/** Scrolls what the draft would do, as far as there is more of it than one step. */
const scrollSide = (step: 1 | -1) => (shell: Shell) =>
	changeEditor(shell, state => {
		const {columns: width} = shell.view.get().size;
		const most =
			draftLines(state, {width, isTemplate: isTemplate(fieldNow(state))}).length - sideStep;
		return {...state, sideTop: Math.max(0, Math.min(state.sideTop + step * sideStep, most))};
	});

const changing = (update: (form: FormState) => FormState) => (shell: Shell) =>
	changeRouteForm(shell, update);

const dayMs = 86_400_000;

/** The place of the secret that keys act on, in its list; `+` behind the last. */
function secretNow(shell: Shell): string | undefined {
	const state = editorNow(shell);
	const [key, at] = (state && fieldNow(state)?.path) ?? [];
	return key === 'secret' ? at : undefined;
}

const change = (shell: Shell, update: (definition: JsonObject) => JsonObject): void =>
	updateDraft(shell, draft => changeDraft(draft, {definition: update(draft.definition)}));

const withSecrets = (definition: JsonObject, secret: JsonValue | undefined): JsonObject =>
	withValueAt(definition, ['secret'], secret);

/** One more, which the gateway makes when it saves. */
const makeOne = (definition: JsonObject): JsonObject => {
	const {secret} = definition;
	return listMembers(secret).includes(toMake)
		? definition
		: withSecrets(definition, withMember(secret, addKey, toMake));
};

/** Without the secret at a place, which passes until a time. */
function retireOne(definition: JsonObject, at: string, until: number): JsonObject {
	const {secret, retired_secrets: retired} = definition;
	const old = listMembers(secret)[Number(at)];
	return old === undefined
		? definition
		: withValueAt(
				withSecrets(definition, withMember(secret, at, undefined)),
				['retired_secrets'],
				[{secret: old, until: new Date(until).toISOString()}, ...listMembers(retired)],
			);
}

/** Keys of the secrets of a route. */
const secretCommands: readonly PaneCommand[] = [
	onKeys(['editor.make-secret', 'n'], literal('make a new secret'), {
		changes: true,
		when: shell => secretNow(shell) !== undefined,
		run: shell => change(shell, makeOne),
	}),
	onKeys(['editor.retire-secret', 'r'], literal('accept it for one more day'), {
		changes: true,
		when: shell => ![undefined, addKey].includes(secretNow(shell)),
		run(shell) {
			const at = secretNow(shell);
			if (at !== undefined) {
				change(shell, definition => retireOne(definition, at, shell.clock.now() + dayMs));
				shell.toast(literal('It is accepted for one more day; x would have ended it at once'));
			}
		},
	}),
];

/** Keys of the form, between its fields. */
export const editorCommands: readonly PaneCommand[] = [
	onKeys(['editor.edit', 'enter'], literal('edit'), {changes: true, run: enterField}),
	onKeys(['editor.save', ...saveKeys], literal('save'), {changes: true, run: reviewSave}),
	onKeys(['editor.leave', 'esc'], literal('leave'), {run: leaveEditor}),
	onKeys(['editor.undo', 'u'], literal('undo'), {run: undoChange}),
	onKeys(['editor.json', 'E'], literal('as JSON in $EDITOR'), {changes: true, run: editAsJson}),
	onKeys(['editor.older', 'right', ']'], literal('older event'), {run: otherDelivery(1)}),
	onKeys(['editor.newer', 'left', '['], literal('newer event'), {
		quiet: true,
		run: otherDelivery(-1),
	}),
	onKeys(['editor.side-down', 'J'], literal('scroll the preview down'), {
		quiet: true,
		run: scrollSide(1),
	}),
	onKeys(['editor.side-up', 'K'], literal('scroll the preview up'), {
		quiet: true,
		run: scrollSide(-1),
	}),
	onKeys(['editor.turn', 'space'], literal('next value'), {
		changes: true,
		quiet: true,
		run: changing(turnKeys[0].act),
	}),
	onKeys(['editor.unset', 'x', 'delete'], literal('leave the setting out'), {
		changes: true,
		quiet: true,
		run: changing(clearField),
	}),
	...[...moveKeys, ...pageKeys].map(({id, keys, label, act: update}) =>
		onKeys([`editor.${id}`, ...keys], label, {quiet: true, run: changing(update)}),
	),
	...secretCommands,
	findAct,
];

const keep = changing(endEditing);

const isLine = (shell: Shell): boolean => {
	const editing = editorNow(shell)?.place.editing;
	return editing !== undefined && !isArea(editing);
};

const keepAndMove = (step: 1 | -1) => (shell: Shell) => {
	keep(shell);
	changeRouteForm(shell, form => moveField(form, step));
};

/** Keys of a field that is typed in. */
export const textCommands: readonly PaneCommand[] = [
	onKeys(['editor-text.keep', 'enter'], literal('keep it'), {when: isLine, run: keep}),
	onKeys(['editor-text.done', 'esc'], literal('keep it'), {run: keep}),
	onKeys(['editor-text.next', 'tab'], literal('keep it, next field'), {run: keepAndMove(1)}),
	onKeys(['editor-text.previous', 'shift+tab'], literal('keep it, previous field'), {
		quiet: true,
		run: keepAndMove(-1),
	}),
	onKeys(['editor-text.drop', 'ctrl+c'], literal('leave it as it was'), {
		run: changing(leaveEditing),
	}),
];

/** Keys of the list of completions. */
export const completionCommands: readonly PaneCommand[] = [
	onKeys(['editor-completion.take', 'enter', 'tab'], literal('take this key'), {
		run: writeChosenWord,
	}),
	onKeys(['editor-completion.down', 'down', 'ctrl+n'], literal('next key'), {
		run: moveCompletion(1),
	}),
	onKeys(['editor-completion.up', 'up', 'ctrl+p'], literal('previous key'), {
		quiet: true,
		run: moveCompletion(-1),
	}),
	onKeys(['editor-completion.close', 'esc'], literal('no key of these'), {
		run: shell => changeEditor(shell, state => ({...state, completion: undefined})),
	}),
];
