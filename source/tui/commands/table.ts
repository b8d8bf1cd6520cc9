import type {Command} from '../acts/command.ts';
import {keyActs} from '../acts/key.ts';
import {createKeyRouter, type KeyBinding} from '../input/key-router.ts';
import {bindingsMarkdown} from '../input/keymap.ts';
import {panes} from '../panes/panes.ts';
import type {Shell} from '../shell/shell.ts';
import {bannerCommands} from './banner.ts';
import {everywhereCommands} from './everywhere.ts';
import {installActs} from './install.ts';
import {overlayCommands} from './overlays.ts';
import {scopeTitle} from './scope-title.ts';
import {setupActs} from './setup.ts';

const paneCommands = panes
	.flatMap(({sections}) => sections)
	.flatMap(({id, commands: acts}) =>
		acts.map((command): Command<string> => ({...command, scope: id})),
	);

/** What the palette offers. */
export const acts: ReadonlyArray<Command<string>> = [
	...paneCommands,
	...bannerCommands,
	...installActs,
	...setupActs,
	...keyActs,
	...everywhereCommands,
];

/** Every key of the interface: the key handler, help, footer, palette and `svc keymap` read this and nothing else. */
export const commands: ReadonlyArray<Command<string>> = [...acts, ...overlayCommands(acts)];

/** The commands that have a key, as the router takes them. */
export const bindings: ReadonlyArray<Command<string> & KeyBinding<Shell>> = commands.flatMap(
	command => {
		const [first, ...more] = command.keys;
		return first === undefined ? [] : [{...command, keys: [first, ...more] as const}];
	},
);

const byId = new Map(commands.map(command => [command.id, command]));

/** The command with this id. */
export const commandOf = (id: string): Command<string> | undefined => byId.get(id);

/** Which key does what. */
export const router = createKeyRouter<Shell>(bindings);

/** The key table as Markdown, for `svc keymap`. @see manual/commands.md */
export const keymapMarkdown = (): string => bindingsMarkdown(bindings, scopeTitle);
