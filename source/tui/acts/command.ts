import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {KeyBinding} from '../input/key-router.ts';
import type {Shell} from '../shell/shell.ts';

/** One act of a section of a pane, with its keys. */
export type PaneCommand = Omit<KeyBinding<Shell>, 'keys' | 'scope'> & {
	/** Empty: in the palette alone. */
	readonly keys: readonly string[];
	/** Why it cannot be done now; shown in the palette and when its key is pressed. */
	readonly why?: (shell: Shell) => Safe | undefined;
	/** It changes something, or begins to: a face that only looks does not do it. Absent: it only shows something; a test checks that. */
	readonly changes?: true;
	/** It allows something: only a key press that the guard of its dialog lets through does it. */
	readonly isGuarded?: boolean;
	/** What the palette takes besides its label: `/reload-mcp`. */
	readonly aliases?: readonly string[];
	run(shell: Shell): void;
};

/** One act with its keys. Help, footer, palette, `svc keymap` and the key handler all read the same table. */
export type Command = PaneCommand & {
	/** Where it holds: `global`, `banner`, `field`, a section of a pane, a dialog, `form`, `form-text`. */
	readonly scope: string;
};

/** A command of a list that may say where it holds. */
export type ListedCommand = PaneCommand & Partial<Pick<Command, 'scope'>>;

/** What a command is called, and the keys that do it. */
export type IdAndKeys = readonly [id: string, ...keys: readonly string[]];

/** A command by its identifier and its keys, and what a person is told of it. */
export const onKeys = (
	[id, ...keys]: IdAndKeys,
	label: Safe,
	rest: Omit<ListedCommand, 'id' | 'keys' | 'label'>,
): ListedCommand => ({id, keys, label, ...rest});

/** Commands that hold in `scope`, where they name no other one. */
export const inScope = (scope: string, commands: readonly ListedCommand[]): readonly Command[] =>
	commands.map(command => ({scope, ...command}));

/** Whether it is kept from being done because this face only looks. */
export const isForbidden = ({changes}: Pick<PaneCommand, 'changes'>, {port}: Shell): boolean =>
	changes === true && port.isReadOnly === true;

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
