import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {close, type DialogOf, type DialogState} from '../acts/dialog.ts';
import {tooEarly} from '../acts/sheet.ts';
import {blankLine, line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {boxOf} from './box.ts';

/**
 * A dialog that may open while a person types elsewhere, and whose guarded commands ignore that typing: a key press must come alone, half a second after the
 * dialog opened and after any other key. `nameOf` is the guard's name for it.
 */
export const guarding = <State>(
	dialog: DialogState<State>,
	nameOf: (state: State) => string,
): {
	readonly open: (shell: Shell, state: State) => void;
	readonly dialog: Pick<DialogOf<State>, 'guard' | 'isWatched'>;
} => ({
	open(shell, state) {
		// Removes the old toast.
		dialog.open(shell, state, {field: undefined, toast: undefined});
		shell.guard.asked();
		shell.guard.shown(nameOf(state));
	},
	dialog: {
		guard(shell, key) {
			const state = dialog.now(shell);
			if (state && shell.guard.permits(nameOf(state), key)) {
				return true;
			}

			shell.guard.disturbed(key.t);
			shell.toast(tooEarly, 'warn');
			return false;
		},
		isWatched: true,
	},
});

/** A secret that is shown once; while it is shown, nothing else in the interface holds it. */
export type ShownOnce = {
	/** What the secret belongs to. */
	readonly id: string;
	readonly secret: string;
	readonly title: Safe;
	/** What was done. */
	readonly done: string;
	readonly note?: string;
	/** Details below the secret. */
	readonly below: string;
};

/** A dialog that shows a secret once, and stays open until the person confirms having kept it. */
export const onceDialog = (
	dialog: DialogState<ShownOnce>,
	{id, noun, widest}: {readonly id: string; readonly noun: Safe; readonly widest: number},
) => {
	const guarded = guarding(dialog, state => `${id} ${state.id}`);
	return {
		open: guarded.open,
		/** Closes any other dialog; this one stays and says why. */
		leave(this: void, shell: Shell) {
			if (dialog.isOpen(shell)) {
				shell.toast(safe`The ${noun} is shown once: y closes this when you have kept it`, 'warn');
			} else {
				close(shell);
			}
		},
		dialog: {
			...guarded.dialog,
			contents: ({title, done, note = '', secret, below}, _shell, room) =>
				boxOf(room, {title, widest}, width => [
					blankLine,
					...told(`✓ ${done}`, width, 'good'),
					...(note === '' ? [] : told(note, width)),
					blankLine,
					...told('This is shown once, and kept nowhere:', width, 'warn'),
					line(safe`  ${escapeLine(secret)}`, 'strong'),
					...told(below, width, 'quiet'),
					blankLine,
					...told('c copies it; y closes this when you have kept it', width, 'quiet'),
				]),
			commands: [
				onKeys([`${id}.copy`, 'c'], safe`copy the ${noun}`, {
					run: copying(noun, shell => dialog.now(shell)?.secret),
				}),
				onKeys([`${id}.kept`, 'y'], literal('I have kept it: close'), {
					isGuarded: true,
					run: close,
				}),
			],
		} satisfies Partial<DialogOf<ShownOnce>>,
	};
};
