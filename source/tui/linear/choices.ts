import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {isForbidden, perform, whyNot} from '../acts/command.ts';
import {mayDo} from '../commands/scopes.ts';
import {commands} from '../commands/table.ts';
import type {Shell} from '../shell/shell.ts';
import type {Choice, Typed} from './asked.ts';
import {meaningless} from './meaningless.ts';

/** A command as an answer. What allows something goes through the guard of the screen: the line must have come alone, and not too early. */
export const choiceOf = (
	shell: Shell,
	command: Command,
	{word = command.keys[0] ?? command.id, isExact = false}: Partial<Choice> = {},
): Choice => ({
	word,
	keys: command.keys,
	label: command.label,
	why: whyNot(command, shell),
	isExact: isExact || command.isGuarded === true,
	run(typed) {
		performTyped(shell, command, typed);
	},
});

/** Does what a typed line names, as the key of it would. */
export function performTyped(shell: Shell, command: Command, {t, alone}: Typed): void {
	const key = {id: command.keys[0] ?? '', text: '', t, alone};
	if (!shell.guard.hears(key)) {
		shell.guard.disturbed(t);
		shell.toast(literal('That came as something else went away: say it again'), 'warn');
		return;
	}

	shell.noteKey();
	if (command.isGuarded !== true || isForbidden(command, shell) || mayDo(shell, key)) {
		perform(command, shell);
	}
}

/** What can be done in a scope now, but for what has no meaning without a screen; each under its word. */
export const choicesIn = (
	shell: Shell,
	scope: string,
	words: Readonly<Record<string, string>> = {},
): readonly Choice[] =>
	commands
		.filter(
			command =>
				command.scope === scope && !meaningless.has(command.id) && command.when?.(shell) !== false,
		)
		.map(command => choiceOf(shell, command, {word: words[command.id] ?? wordOf(command)}));

/** What leads out is `cancel`; a key that is a letter is its own word, any other has none. */
const wordOf = ({keys}: Command): string =>
	keys.includes('esc') ? 'cancel' : (keys.find(key => key.length === 1) ?? '');
