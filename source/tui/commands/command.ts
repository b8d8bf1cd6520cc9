import type {Safe} from '../../core/untrusted.ts';
import type {KeyBinding} from '../input/key-router.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay, PaneId} from '../state/view.ts';

/** Where a key holds: everywhere, in a pane, in the jobs of pane 2, in a text field, in a form, in what lies over the panes. */
export type Scope =
	| 'global'
	| 'banner'
	| PaneId
	| 'jobs'
	| 'field'
	| 'form'
	| 'form-text'
	| 'approval-text'
	| Overlay['kind'];

/** One act with its keys. Help, footer, palette, `svc keymap` and the key handler all read the same table. */
export type Command = Omit<KeyBinding<Shell>, 'keys' | 'scope'> & {
	/** Empty: in the palette alone. */
	readonly keys: readonly string[];
	readonly scope: Scope;
	/** Why it cannot be done now; shown in the palette and when its key is pressed. */
	readonly why?: (shell: Shell) => Safe | undefined;
	/** It allows something: only a key press that `mayAllow` lets through does it. */
	readonly isGuarded?: boolean;
	/** What the palette takes besides its label: `/reload-mcp`. */
	readonly aliases?: readonly string[];
	run(shell: Shell): void;
};

/** Does it, or says why not. */
export function perform(command: Command, shell: Shell): void {
	const reason = command.why?.(shell);
	if (reason === undefined) {
		command.run(shell);
	} else {
		shell.toast(reason, 'warn');
	}
}
