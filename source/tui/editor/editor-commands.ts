import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import {moveKeys, pageKeys, turnKeys} from '../forms/form-keys.ts';
import {clearField, moveField} from '../forms/form.ts';
import {isArea} from '../forms/typing.ts';
import type {Shell} from '../shell/shell.ts';
import {act} from './act.ts';
import {completionsOf} from './completions.ts';
import {draftLines} from './draft-lines.ts';
import {
	changeRouteForm,
	complete,
	enterField,
	keepTyped,
	leaveTyped,
	moveCompletion,
} from './edit-field.ts';
import {editorSplit} from './editor-split.ts';
import {changeEditor, editorNow} from './editor-state.ts';
import {findAct} from './find-field.ts';
import {refresh} from './refresh.ts';
import {editAsJson, leaveEditor, reviewSave, undoChange} from './save-draft.ts';
import {secretCommands} from './secret-commands.ts';

const whenOpen = (shell: Shell): boolean => editorNow(shell) !== undefined;

/** Another one of the deliveries that the draft is shown with. */
function otherDelivery(shell: Shell, step: 1 | -1): void {
	changeEditor(shell, state => ({
		...state,
		sideTop: 0,
		delivery: Math.max(0, Math.min(state.delivery + step, state.deliveries.length - 1)),
	}));
	refresh(shell);
}

const sideStep = 8;

/** Scrolls what the draft would do, as far as there is more of it than one step. */
function scrollSide(shell: Shell, step: 1 | -1): void {
	changeEditor(shell, state => {
		const {sideWidth} = editorSplit(shell.view.get().size.columns);
		const most = draftLines(state, sideWidth).length - sideStep;
		return {
			...state,
			sideTop: Math.max(0, Math.min(state.sideTop + step * sideStep, most)),
		};
	});
}

/** Keys of the form, between its fields. */
export const editorCommands: readonly PaneCommand[] = [
	act('.edit', ['enter'], {changes: true, label: literal('edit'), when: whenOpen, run: enterField}),
	act('.save', ['w'], {
		changes: true,
		label: literal('save (shows the diff)'),
		when: whenOpen,
		run: reviewSave,
	}),
	act('.undo', ['u'], {label: literal('undo'), when: whenOpen, run: undoChange}),
	act('.json', ['E'], {
		changes: true,
		label: literal('as JSON in $EDITOR'),
		when: whenOpen,
		run: editAsJson,
	}),
	act('.older', ['right', ']'], {
		label: literal('older event'),
		when: whenOpen,
		run(shell) {
			otherDelivery(shell, 1);
		},
	}),
	act('.newer', ['left', '['], {
		label: literal('newer event'),
		quiet: true,
		when: whenOpen,
		run(shell) {
			otherDelivery(shell, -1);
		},
	}),
	...(
		[
			['.side-down', 'J', literal('what it would do, further down'), 1],
			['.side-up', 'K', literal('what it would do, further up'), -1],
		] as const
	).map(([id, key, label, step]) =>
		act(id, [key], {
			label,
			quiet: true,
			when: whenOpen,
			run(shell) {
				scrollSide(shell, step);
			},
		}),
	),
	act('.turn', ['space'], {
		changes: true,
		label: literal('next value'),
		quiet: true,
		when: whenOpen,
		run(shell) {
			changeRouteForm(shell, turnKeys[0].act);
		},
	}),
	act('.unset', ['x', 'delete'], {
		changes: true,
		label: literal('leave the setting out'),
		quiet: true,
		when: whenOpen,
		run(shell) {
			changeRouteForm(shell, clearField);
		},
	}),
	...[...moveKeys, ...pageKeys].map(({id, keys, label, act: update}) =>
		act(`.${id}`, keys, {
			label,
			quiet: true,
			when: whenOpen,
			run(shell) {
				changeRouteForm(shell, update);
			},
		}),
	),
	...secretCommands,
	findAct,
	act('.leave', ['esc'], {label: literal('leave'), when: whenOpen, run: leaveEditor}),
];

function isTyping(shell: Shell): boolean {
	return editorNow(shell)?.place.editing !== undefined;
}

function isLine(shell: Shell): boolean {
	const editing = editorNow(shell)?.place.editing;
	return editing !== undefined && !isArea(editing);
}

function keepAndMove(shell: Shell, step: 1 | -1): void {
	keepTyped(shell);
	changeRouteForm(shell, form => moveField(form, step));
}

/** Keys of a field that is typed in. */
export const textCommands: readonly PaneCommand[] = [
	act('-text.keep', ['enter'], {
		label: literal('keep it'),
		when: isLine,
		run: keepTyped,
	}),
	act('-text.done', ['esc'], {
		label: literal('keep it'),
		when: isTyping,
		run: keepTyped,
	}),
	act('-text.next', ['tab'], {
		label: literal('keep it, next field'),
		when: isTyping,
		run(shell) {
			keepAndMove(shell, 1);
		},
	}),
	act('-text.previous', ['shift+tab'], {
		label: literal('keep it, previous field'),
		quiet: true,
		when: isTyping,
		run(shell) {
			keepAndMove(shell, -1);
		},
	}),
	act('-text.drop', ['ctrl+c'], {
		label: literal('leave it as it was'),
		when: isTyping,
		run: leaveTyped,
	}),
];

const completes = (shell: Shell): boolean => {
	const state = editorNow(shell);
	return state !== undefined && completionsOf(state).length > 0;
};

/** Keys of what can complete a `{`. */
export const completionCommands: readonly PaneCommand[] = [
	act('-completion.take', ['enter', 'tab'], {
		label: literal('take this key'),
		when: completes,
		run: complete,
	}),
	act('-completion.down', ['down', 'ctrl+n'], {
		label: literal('next key'),
		when: completes,
		run(shell) {
			moveCompletion(shell, 1);
		},
	}),
	act('-completion.up', ['up', 'ctrl+p'], {
		label: literal('previous key'),
		quiet: true,
		when: completes,
		run(shell) {
			moveCompletion(shell, -1);
		},
	}),
	act('-completion.close', ['esc'], {
		label: literal('no key of these'),
		when: completes,
		run(shell) {
			changeEditor(shell, state => ({...state, completion: undefined}));
		},
	}),
];
