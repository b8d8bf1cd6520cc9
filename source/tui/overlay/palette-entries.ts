import {Fzf} from 'fzf';
import type {Safe} from '../../core/untrusted.ts';
import {empty, own, ui} from '../../terminal/text/safe.ts';
import {perform, type Command} from '../commands/command.ts';
import {change, goToDelivery, goToGroup, goToJob, goToRun, openPane} from '../commands/navigate.ts';
import {jobKey, jobName} from '../panes/groups/job-key.ts';
import {clean} from '../panes/line.ts';
import {paneOf} from '../panes/pane.ts';
import {runWords} from '../panes/runs/run-word.ts';
import {routeKey} from '../panes/subs/route-key.ts';
import {resultWord, shownId} from '../panes/traffic/result-word.ts';
import type {Shell} from '../shell/shell.ts';
import {paneIds, type PaneId} from '../state/view.ts';

/** One thing that the palette can do. */
export type PaletteEntry = {
	readonly label: Safe;
	/** Key that does the same; empty when there is none. */
	readonly key: Safe;
	/** Where it belongs: `Traffic`, `everywhere`. */
	readonly place: Safe;
	/** Why it cannot be done now. */
	readonly why?: Safe | undefined;
	/** What the query is compared with. */
	readonly words: string;
	/** Lower-case names: what begins with the query stands before what only holds it. */
	readonly names: readonly string[];
	readonly run: () => void;
};

/** The newest of each that are offered: a palette is for what somebody remembers. */
const recent = {deliveries: 50, runs: 50, groups: 50} as const;

const isPane = (scope: string): scope is PaneId => paneIds.some(id => id === scope);

/**
 * What fits `query`, best first; what cannot be done now comes last, with its reason. `acts` are the commands that can be
 * offered at all.
 */
export function paletteEntries(
	shell: Shell,
	acts: readonly Command[],
	query: string,
): readonly PaletteEntry[] {
	const entries = [
		...acts
			.filter(act => act.when?.(shell) !== false && act.id !== 'palette')
			.map(act => commandEntry(shell, act)),
		...routeEntries(shell),
		...groupEntries(shell),
		...jobEntries(shell),
		...runEntries(shell),
		...deliveryEntries(shell),
	];
	const wanted = query.trim();
	const found = wanted === '' ? entries : bestFirst(entries, wanted);
	return [...found.filter(entry => !entry.why), ...found.filter(entry => entry.why)];
}

function bestFirst(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
	const found: readonly PaletteEntry[] = new Fzf([...entries], {
		selector: (entry: PaletteEntry) => entry.words,
		limit: 200,
	})
		.find(query)
		.map((result: {readonly item: PaletteEntry}) => result.item);
	const start = query.toLowerCase();
	const begins = ({names}: PaletteEntry) => names.some(name => name.startsWith(start));
	return [...found.filter(begins), ...found.filter(entry => !begins(entry))];
}

function commandEntry(shell: Shell, act: Command): PaletteEntry {
	const {scope, aliases = []} = act;
	const isOfJobs = scope === 'jobs';
	const pane = isOfJobs ? 'groups' : scope;
	const place = isOfJobs ? own('Jobs') : isPane(scope) ? paneOf(scope).title : own('everywhere');
	return {
		label: act.label,
		key: clean(act.keys[0] ?? aliases[0] ?? ''),
		place,
		why: act.why?.(shell),
		words: `${act.label} ${place} ${aliases.join(' ')}`,
		names: [act.label.toLowerCase(), ...aliases, ...aliases.map(alias => alias.slice(1))],
		run() {
			if (isPane(pane) && shell.view.get().pane !== pane) {
				openPane(shell, pane);
			}

			if (pane === 'groups') {
				change(shell, {isInJobs: isOfJobs});
			}

			perform(act, shell);
		},
	};
}

const going = (label: Safe, place: Safe, go: () => void): PaletteEntry => ({
	label,
	key: empty,
	place,
	words: label,
	names: [label.toLowerCase()],
	run: go,
});

const routeEntries = (shell: Shell): readonly PaletteEntry[] =>
	shell.feed.get().state.routes.map(route =>
		going(ui`go to route ${clean(route.name)}`, own('Subs'), () => {
			openPane(shell, 'subs');
			shell.lists.subs.setFilter('');
			shell.lists.subs.select(routeKey(route));
		}),
	);

const groupEntries = (shell: Shell): readonly PaletteEntry[] =>
	shell.feed
		.get()
		.state.groups.slice(0, recent.groups)
		.map(({id, key, route, state}) =>
			going(ui`go to group ${clean(key)} of ${clean(route)} ${clean(state)}`, own('Groups'), () => {
				goToGroup(shell, id);
			}),
		);

const jobEntries = (shell: Shell): readonly PaletteEntry[] =>
	shell.feed.get().state.jobs.map(job =>
		going(ui`go to job ${jobName(job)}`, own('Jobs'), () => {
			goToJob(shell, jobKey(job));
		}),
	);

const runEntries = (shell: Shell): readonly PaletteEntry[] =>
	newest(shell.feed.get().state.runs, recent.runs).map(run =>
		going(
			ui`go to run #${run.id} ${clean(run.route)} ${runWords[run.state].text}`,
			own('Runs'),
			() => {
				goToRun(shell, run.id);
			},
		),
	);

const deliveryEntries = (shell: Shell): readonly PaletteEntry[] =>
	newest(shell.feed.get().state.deliveries, recent.deliveries).map(({delivery}) =>
		going(
			ui`go to delivery ${shownId(delivery)} ${clean(delivery.route)} ${clean(resultWord(delivery))}`,
			own('Traffic'),
			() => {
				goToDelivery(shell, delivery.id);
			},
		),
	);

const newest = <Item>(items: readonly Item[], count: number): readonly Item[] =>
	items.slice(-count).toReversed();
