import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {KeyBinding} from '../input/key-router.ts';
import type {Shell} from '../shell/shell.ts';

/** A command of a pane's section, with its keys. */
export type PaneCommand = Omit<KeyBinding<Shell>, 'keys' | 'scope'> & {
	/** Empty: reachable from the palette only. */
	readonly keys: readonly string[];
	/** Why the command is unavailable now; shown in the palette and when its key is pressed. */
	readonly why?: (shell: Shell) => Safe | undefined;
	/** The command changes something or begins to, so a read-only face refuses it. Absent: it only shows something, which a test checks. */
	readonly changes?: true;
	/** The command allows something, so only a key press that passes its dialog's guard runs it. */
	readonly isGuarded?: boolean;
	/** Further names in the palette: `/reload-mcp`. */
	readonly aliases?: readonly string[];
	run(shell: Shell): void;
};

/** A command with its keys. Help, footer, palette, `svc keymap` and the key handler all read the same table. */
export type Command = PaneCommand & {
	/** Where its keys hold: `global`, `banner`, `field`, a section of a pane, a dialog, `form`, `form-text`. */
	readonly scope: string;
};

/** A command in a list; its scope may be left to the list. */
export type ListedCommand = PaneCommand & Partial<Pick<Command, 'scope'>>;

/** A command's identifier and its keys. */
export type IdAndKeys = readonly [id: string, ...keys: readonly string[]];

/** Makes a command from its identifier, keys and label. */
export const onKeys = (
	[id, ...keys]: IdAndKeys,
	label: Safe,
	rest: Omit<ListedCommand, 'id' | 'keys' | 'label'>,
): ListedCommand => ({id, keys, label, ...rest});

/** Puts `commands` into `scope`, unless they name another one. */
export const inScope = (scope: string, commands: readonly ListedCommand[]): readonly Command[] =>
	commands.map(command => ({scope, ...command}));

/** Whether the command changes something and this face is read-only. */
export const isForbidden = ({changes}: Pick<PaneCommand, 'changes'>, {port}: Shell): boolean =>
	changes === true && port.isReadOnly === true;

/** Why the command is unavailable now. */
export const whyNot = (command: PaneCommand, shell: Shell): Safe | undefined =>
	isForbidden(command, shell) ? literal('read-only') : command.why?.(shell);

/** Runs the command, or shows why it is unavailable. */
export function perform(command: PaneCommand, shell: Shell): void {
	const reason = whyNot(command, shell);
	if (reason === undefined) {
		command.run(shell);
	} else {
		shell.toast(reason, 'warn');
	}
}
