import {literal} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../commands/command.ts';
import type {Shell} from '../shell/shell.ts';
import {act} from './act.ts';
import {
	complete,
	enterField,
	keepTyped,
	leaveTyped,
	moveCompletion,
	moveField,
	setField,
	turnField,
} from './edit-field.ts';
import {changeEditor, completionsOf, currentField, editorNow} from './editor-state.ts';
import {refresh} from './refresh.ts';
import {editAsJson, leaveEditor, reviewSave, undoChange} from './save-draft.ts';

const whenOpen = (shell: Shell): boolean => editorNow(shell) !== undefined;

/** Another one of the deliveries that the draft is shown with. */
function otherDelivery(shell: Shell, step: 1 | -1): void {
	changeEditor(shell, state => ({
		...state,
		delivery: Math.max(0, Math.min(state.delivery + step, state.deliveries.length - 1)),
	}));
	refresh(shell);
}

/** Keys of the form, between its fields. */
export const editorCommands: readonly PaneCommand[] = [
	act('.edit', ['enter'], {label: literal('edit'), when: whenOpen, run: enterField}),
	act('.save', ['w'], {label: literal('save (shows the diff)'), when: whenOpen, run: reviewSave}),
	act('.undo', ['u'], {label: literal('undo'), when: whenOpen, run: undoChange}),
	act('.json', ['E'], {label: literal('as JSON in $EDITOR'), when: whenOpen, run: editAsJson}),
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
	act('.turn', ['space'], {
		label: literal('next value'),
		quiet: true,
		when: whenOpen,
		run(shell) {
			turnField(shell, 1);
		},
	}),
	act('.unset', ['x', 'delete'], {
		label: literal('leave the setting out'),
		quiet: true,
		when: whenOpen,
		run(shell) {
			const state = editorNow(shell);
			const field = state && currentField(state);
			if (field) {
				setField(shell, field, undefined);
			}
		},
	}),
	...(
		[
			['.down', ['j', 'down', 'tab'], literal('next field'), 1],
			['.up', ['k', 'up', 'shift+tab'], literal('previous field'), -1],
			['.page-down', ['pgdn', 'ctrl+d'], literal('ten fields down'), 10],
			['.page-up', ['pgup', 'ctrl+u'], literal('ten fields up'), -10],
			['.first', ['g', 'home'], literal('first field'), -Infinity],
			['.last', ['G', 'end'], literal('last field'), Infinity],
		] as const
	).map(([id, keys, label, step]) =>
		act(id, keys, {
			label,
			quiet: true,
			when: whenOpen,
			run(shell) {
				moveField(shell, step);
			},
		}),
	),
	act('.leave', ['esc'], {label: literal('leave'), when: whenOpen, run: leaveEditor}),
];

const isLine = (shell: Shell): boolean => editorNow(shell)?.typing?.kind === 'line';

const isTyping = (shell: Shell): boolean => editorNow(shell)?.typing !== undefined;

function keepAndMove(shell: Shell, step: 1 | -1): void {
	if (keepTyped(shell)) {
		moveField(shell, step);
	}
}

/** Keys of a field that is typed in. */
export const textCommands: readonly PaneCommand[] = [
	act('-text.keep', ['enter'], {
		label: literal('keep it'),
		when: isLine,
		run(shell) {
			keepTyped(shell);
		},
	}),
	act('-text.done', ['esc'], {
		label: literal('keep it'),
		when: isTyping,
		run(shell) {
			keepTyped(shell);
		},
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
