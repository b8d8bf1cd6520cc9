import {Fzf} from 'fzf';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {isForbidden, perform, whyNot, type Command} from '../acts/command.ts';
import {openPane} from '../acts/navigate.ts';
import type {Destination, Referent, Pane} from '../panes/pane.ts';
import type {Shell} from '../shell/shell.ts';

/** One entry of the palette. */
export type PaletteEntry = {
	readonly label: Safe;
	/** The key for the same command; empty if there is none. */
	readonly key: Safe;
	/** Where the command belongs: `Traffic`, `everywhere`. */
	readonly place: Safe;
	/** Why the command is unavailable now. */
	readonly why?: Safe | undefined;
	/** This face cannot run the command at all. */
	readonly isForbidden?: boolean;
	/** The text that the query is matched against. */
	readonly words: string;
	/** Lower-case names. A name that begins with the query ranks above one in which a later word does. */
	readonly names: readonly string[];
	/** Synonyms: `rotate`. */
	readonly others?: readonly string[];
	/** Belongs to the open pane or to all panes, so ranks first among equals. */
	readonly isHere?: boolean;
	/** One of thousands of items with similar words, so every word of the query must occur in `words`. */
	readonly isThing?: true;
	readonly run: () => void;
};

/** The entries that match `query`, best first; unavailable ones come last, with their reason. `acts`: the commands that may be offered. */
export function paletteEntries(
	shell: Shell,
	acts: ReadonlyArray<Command>,
	query: string,
): readonly PaletteEntry[] {
	const entries = [
		...acts
			.filter(act => act.when?.(shell) !== false && act.id !== 'palette')
			.map(act => commandEntry(shell, act)),
		// Deliveries come last, since they are the most numerous.
		...shell.panes
			.toReversed()
			.flatMap(pane => (pane.destinations?.(shell) ?? []).map(to => destinationEntry(to, pane))),
	];
	const wanted = query.trim();
	const byName = wanted === '' ? entries : bestFirst(entries, wanted);
	const byNumber = shell.panes.map(pane => ({pane, found: pane.find?.(shell, wanted)}));
	const entriesOf = (which: keyof Referent) =>
		byNumber.flatMap(({pane, found: {[which]: to} = {}}) => (to ? destinationEntry(to, pane) : []));
	const known = entriesOf('known');
	const settings = settingEntries(shell, wanted);
	const labels = new Set(known.map(({label}) => label));
	const found = [
		...known,
		...byName.filter(({label}) => !labels.has(label)),
		...settings,
		...entriesOf('guessed'),
	];
	return [...found.filter(entry => !entry.why), ...found.filter(entry => entry.why)];
}

function bestFirst(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
	const start = query.toLowerCase();
	const parts = start.split(/\s+/);
	const candidates = entries.filter(
		({isThing, words}) =>
			isThing !== true || parts.every(part => words.toLowerCase().includes(part)),
	);
	const found: readonly PaletteEntry[] = new Fzf(candidates, {
		selector: (entry: PaletteEntry) => entry.words,
		limit: 200,
	})
		.find(query)
		.map((result: {readonly item: PaletteEntry}) => result.item);
	const rank = ({names, others = [], isHere}: PaletteEntry): number =>
		([...names, ...others].some(name => name.startsWith(start))
			? 0
			: names.some(name => name.includes(` ${start}`))
				? 2
				: 4) + (isHere ? 0 : 1);
	// The sort is stable: equals keep their order.
	return found.toSorted((one, other) => rank(one) - rank(other));
}

function commandEntry(shell: Shell, act: Command): PaletteEntry {
	const {scope, aliases = []} = act;
	const others = synonyms[act.id] ?? [];
	const home = shell.panes
		.flatMap(pane => pane.sections.map(section => ({pane, section})))
		.find(({section}) => section.id === scope);
	const place = home?.section.title ?? literal('everywhere');
	return {
		label: act.label,
		key: escapeLine(act.keys[0] ?? aliases[0] ?? ''),
		place,
		why: whyNot(act, shell),
		isForbidden: isForbidden(act, shell),
		words: [act.label, place, ...aliases, ...others].join(' '),
		names: [act.label.toLowerCase(), ...aliases, ...aliases.map(alias => alias.slice(1))],
		others,
		isHere: home === undefined || home.pane === shell.pane(),
		run() {
			if (home && shell.pane() !== home.pane) {
				openPane(shell, home.pane.id);
			}

			home?.pane.focus?.choose?.(shell, home.section);
			perform(act, shell);
		},
	};
}

const destinationEntry = (
	{label, place, go}: Destination,
	{title}: Pick<Pane, 'title'>,
): PaletteEntry => ({
	label,
	key: empty,
	place: place ?? title,
	words: label,
	names: [label.toLowerCase()],
	isThing: true,
	run: go,
});

/** Settings are searched from this many letters on: shorter texts occur in most names. */
const settingFrom = 3;

/** Manual pages of the settings whose names contain `query`; those with a part that begins with it come first. */
function settingEntries(shell: Shell, query: string): readonly PaletteEntry[] {
	const wanted = query.toLowerCase().replaceAll(/[\s-]+/g, '_');
	if (wanted.length < settingFrom) {
		return [];
	}

	const begins = (name: string) => `.${name}`.includes(`.${wanted}`);
	return shell.desktop
		.settings()
		.filter(({name}) => name.toLowerCase().includes(wanted))
		.toSorted((one, other) => Number(begins(other.name)) - Number(begins(one.name)))
		.map(({name, says, topic}) =>
			destinationEntry(
				{
					label: safe`${escapeLine(name)}: ${escapeLine(says)}`,
					go: () =>
						shell.attempt(async () => {
							await shell.desktop.manual(topic);
						}),
				},
				{title: escapeLine(`help ${topic}`)},
			),
		);
}

/** Synonyms of commands, by identifier; the palette also matches their beginnings. */
export const synonyms: Readonly<Record<string, readonly string[]>> = {
	'routes.rotate': ['rotate'],
	'routes.pause': ['stop', 'enable', 'disable'],
	'routes.edit': ['rename', 'change', 'toolsets'],
	'routes.add': ['new', 'create', 'subscribe'],
	'routes.duplicate': ['clone'],
	'routes.remove': ['remove'],
	'routes.test': ['send', 'try'],
	'traffic.replay': ['resend', 'redeliver', 'again'],
	'runs.cancel': ['stop', 'abort'],
	'runs.retry': ['rerun', 'again'],
	'approvals.review': ['approve', 'allow', 'deny'],
	'approvals.open': ['approve', 'allow', 'deny'],
	'approvals.revoke': ['forget', 'delete', 'remove'],
	'list.filter': ['search', 'find'],
	quit: ['exit', 'leave'],
	'let-go': ['detach', 'background'],
	help: ['keys', 'shortcuts'],
	'list.pause': ['freeze', 'stop'],
	'logins.start': ['authorise', 'authorize', 'sign in'],
	'tools.try': ['call', 'run', 'test'],
};
