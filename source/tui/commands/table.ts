import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {Command} from '../acts/command.ts';
import type {Dialog} from '../acts/dialog.ts';
import {formCommands} from '../dialogs/form.ts';
import {installActs} from '../dialogs/install-link.ts';
import {openKeyForm} from '../dialogs/key.ts';
import {setupActs} from '../dialogs/setup.ts';
import {type KeyBinding, createKeyRouter, type KeyRouter} from '../input/key-router.ts';
import type {Pane} from '../panes/pane.ts';
import {panes} from '../panes/panes.ts';
import type {Shell} from '../shell/shell.ts';
import {bannerCommands} from './banner.ts';
import {dialogs} from './dialogs.ts';
import {everywhereCommands} from './everywhere.ts';
import {fieldCommands} from './field.ts';

/** Every key of the interface: the key handler, help, footer, palette and `svc keymap` read this and nothing else. */
export type KeyTable = {
	/** The commands that the palette offers. */
	readonly acts: readonly Command[];
	readonly commands: readonly Command[];
	/** The commands that have a key, in the router's form. */
	readonly bindings: ReadonlyArray<Command & KeyBinding<Shell>>;
	/** Which key does what. */
	readonly router: KeyRouter<Shell>;
	readonly commandOf: (id: string) => Command | undefined;
	/** A scope's name for display. */
	readonly titleOf: (scope: string) => Safe;
};

/** Builds the table of keys for these panes, text fields, and dialogs. */
export function createKeyTable(all: readonly Dialog[], shown: readonly Pane[] = panes): KeyTable {
	const sections = shown.flatMap(pane => pane.sections);
	const acts: readonly Command[] = [
		...sections.flatMap(({id, commands: own}) =>
			own.map((command): Command => ({...command, scope: id})),
		),
		...bannerCommands,
		...installActs,
		...setupActs,
		openKeyForm,
		...everywhereCommands,
	];
	const ofForms = 1 + all.findIndex(({form}) => form);
	const commands = [
		...acts,
		...fieldCommands,
		...all.slice(0, ofForms).flatMap(dialog => dialog.commands),
		...formCommands,
		...all.slice(ofForms).flatMap(dialog => dialog.commands),
	];
	const bindings = commands.flatMap(command => {
		const [first, ...more] = command.keys;
		return first === undefined ? [] : [{...command, keys: [first, ...more] as const}];
	});
	const byId = new Map(commands.map(command => [command.id, command]));
	const titles = new Map<string, string>([
		...sections.map(({id, title}): [string, string] => [id, title]),
		['global', 'Everywhere'],
		['banner', 'While its banner is shown'],
		['field', 'In a filter or a search'],
		...[...all, {scope: 'form', title: 'Form'}].flatMap(
			({scope, title}): Array<[string, string]> => [
				[scope, title],
				[`${scope}-text`, `${title}, while typing`],
			],
		),
	]);
	return {
		acts,
		commands,
		bindings,
		router: createKeyRouter<Shell>(bindings),
		commandOf: id => byId.get(id),
		titleOf: scope => escapeLine(titles.get(scope) ?? scope),
	};
}

/** The key table of the real interface. */
export const keyTable = createKeyTable(dialogs);

export const {acts, commands, bindings, router, commandOf} = keyTable;

/** The key table as Markdown, for `svc keymap`. @see manual/commands.md */
export const keymapMarkdown = (): string => bindingsMarkdown(keyTable.bindings, keyTable.titleOf);

type Row = Pick<KeyBinding, 'keys' | 'id' | 'label' | 'scope'>;

/** The key table as Markdown for `svc keymap`: one titled section per scope, in order of first appearance. */
export function bindingsMarkdown(
	shown: readonly Row[],
	titleOf: (scope: string) => string,
): string {
	const sections = [...Map.groupBy(shown, ({scope}) => scope)].map(([scope, rows]) =>
		[
			`## ${titleOf(scope)}`,
			'',
			'| Key | Act | Command |',
			'| - | - | - |',
			...rows.map(
				({keys, label, id}) =>
					`| ${keys.map(key => codeSpan(key)).join(', ')} | ${escapeCell(label)} | ${codeSpan(id)} |`,
			),
			'',
		].join('\n'),
	);

	return ['# Keys', '', ...sections].join('\n');
}

const escapeCell = (text: string) => text.replaceAll(/[\\|<]/g, String.raw`\$&`);

const codeSpan = (text: string) =>
	text.includes('`') ? `\`\` ${text} \`\`` : `\`${text.replaceAll('|', String.raw`\|`)}\``;
