import type {Command} from '../acts/command.ts';
import {acts} from '../commands/table.ts';
import {paletteEntries, type PaletteEntry} from '../dialogs/palette-entries.ts';
import type {Shell} from '../shell/shell.ts';
import {meaningless} from './meaningless.ts';

/** What the open section, the banners and the interface can do now, in this order, but for what has no meaning here. */
export function commandsHere(shell: Shell): ReadonlyArray<Command> {
	const scopes = [shell.section().id, 'banner', 'global'];
	return scopes.flatMap(scope =>
		acts.filter(
			act => act.scope === scope && !meaningless.has(act.id) && act.when?.(shell) !== false,
		),
	);
}

const isGlobal = ({scope}: Command): boolean => scope === 'global';

/** What can be done with what is selected, and with what its banners say. */
export const ownCommands = (shell: Shell): ReadonlyArray<Command> =>
	commandsHere(shell).filter(command => !isGlobal(command));

/** The rest of it. */
export const generalCommands = (shell: Shell): ReadonlyArray<Command> =>
	commandsHere(shell).filter(command => isGlobal(command) && !command.id.startsWith('pane.'));

const least = 3;

/** The command here that a line names: by its key, its name, its title, an alias, or the only title that begins so. */
export function commandNamed(shell: Shell, text: string): Command | undefined {
	const here = commandsHere(shell);
	const wanted = text.toLowerCase();
	const titled = here.filter(({label}) => label.toLowerCase().startsWith(wanted));
	return (
		here.find(({keys}) => keys.includes(text)) ??
		here.find(({id, aliases = []}) => id === wanted || aliases.includes(wanted)) ??
		here.find(({label}) => label.toLowerCase() === wanted) ??
		(wanted.length >= least && titled.length === 1 ? titled[0] : undefined)
	);
}

/** What the palette finds for a line that names exactly one thing elsewhere. */
export function elsewhere(shell: Shell, text: string): PaletteEntry | undefined {
	const wanted = text.toLowerCase();
	const entries = paletteEntries(shell, readable, '');
	const named = entries.find(({names}) => names.includes(wanted));
	const begun = entries.filter(({names}) => names.some(name => name.startsWith(wanted)));
	return named ?? (wanted.length >= least && begun.length === 1 ? begun[0] : undefined);
}

const readable = acts.filter(({id}) => !meaningless.has(id));

/** What fits some words, anywhere. */
export const foundEntries = (shell: Shell, query: string): readonly PaletteEntry[] =>
	paletteEntries(shell, readable, query);
