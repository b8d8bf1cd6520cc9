import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {KeyBinding} from '../input/key-router.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';

/** Where a key holds, besides the sections of panes: everywhere, in a text field, in a form, in what lies over the panes. */
export type KeyScope =
	| 'global'
	| 'banner'
	| 'field'
	| 'form'
	| 'form-text'
	| 'approval-text'
	| 'install-text'
	| Overlay['kind'];

/** One act of a section of a pane, with its keys. */
export type PaneCommand = Omit<KeyBinding<Shell>, 'keys' | 'scope'> & {
	/** Empty: in the palette alone. */
	readonly keys: readonly string[];
	/** Why it cannot be done now; shown in the palette and when its key is pressed. */
	readonly why?: (shell: Shell) => Safe | undefined;
	/** It changes something, or begins to: a face that only looks does not do it. Absent: whoever presses it only looks, which a test wants to be told. */
	readonly changes?: true;
	/** It allows something: only a key press that `mayAllow` lets through does it. */
	readonly isGuarded?: boolean;
	/** What the palette takes besides its label: `/reload-mcp`. */
	readonly aliases?: readonly string[];
	run(shell: Shell): void;
};

/** One act with its keys. Help, footer, palette, `svc keymap` and the key handler all read the same table. */
export type Command<In extends string = KeyScope> = PaneCommand & {readonly scope: In};

/** Whether it is kept from being done because this face only looks. */
export const isForbidden = (
	{changes}: Pick<PaneCommand, 'changes'>,
	{port}: Pick<Shell, 'port'>,
): boolean => changes === true && port.isReadOnly === true;

/** Why it cannot be done now. */
export const whyNot = (command: PaneCommand, shell: Shell): Safe | undefined =>
	isForbidden(command, shell) ? literal('read-only') : command.why?.(shell);

/** Does it, or says why not. */
export function perform(command: PaneCommand, shell: Shell): void {
	const reason = whyNot(command, shell);
	if (reason === undefined) {
		command.run(shell);
	} else {
		shell.toast(reason, 'warn');
	}
}
