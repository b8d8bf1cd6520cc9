import type {GatewayPort} from '../../gateway/port.ts';
import type {Act, Noun} from '../../nouns/noun.ts';
import {confirm} from '../dialogs/questions.ts';
import {clean} from '../lines/line.ts';
import {actOnAll, clearMarks, markedOf, sayOutcome, type Marks} from '../lines/marks.ts';
import type {Host, Shell} from '../shell/shell.ts';

/** Marked ones are acted on, whichever is selected. */
export type Marked<Item> = {
	readonly marks: Marks;
	/** All that may be marked: also what was paged to, and what the filter keeps out. */
	readonly all: (shell: Shell) => readonly Item[];
};

export const hasMarked = ({local}: Pick<Host, 'local'>, marks: Marks): boolean =>
	local(marks).get().size > 0;

/** Asks once for all that are marked, with what it means to how many of them, then does it to each. */
export function askForMarked<Item>(
	shell: Shell,
	{
		noun,
		marked,
	}: {
		readonly noun: Pick<Noun<Item>, 'id' | 'many' | 'name' | 'one'>;
		readonly marked: Marked<Item>;
	},
	{verb, all, effect, gone}: Act<Item, GatewayPort, unknown>,
): void {
	if (!all) {
		return;
	}

	const found = markedOf(shell.local(marked.marks).get(), marked.all(shell), noun.id);
	const able = found.items.filter(item => all.means(item) !== undefined);
	const unable = found.items.length - able.length;
	if (able.length === 0) {
		shell.toast(clean(`None of the marked ${noun.many} can be ${all.done}`), 'warn');
		return;
	}

	const kinds = Map.groupBy(able, all.kind);
	const lines = [
		...[...kinds].map(
			([kind, [first, ...others]]) =>
				`${others.length + 1} ${kind}: ${(first && all.means(first)) ?? ''}`,
		),
		...(unable > 0 ? [`${unable} of the marked cannot be ${all.done}: left as they are.`] : []),
	];
	askForAll(
		shell,
		{noun, marks: marked.marks, verb, done: all.done, items: able, lines, gone: found.gone},
		async item =>
			(await effect(shell.port, noun.id(item), {spanMs: 0, item}))
				? undefined
				: `${noun.name(item)}: ${gone}`,
	);
}

/** Asks once for marked `items`, then does `act` to each, which answers why it could not; `gone`: how many of the marked are not among them any more. */
export function askForAll<Item>(
	shell: Shell,
	{
		noun: {one, many},
		marks,
		verb,
		done,
		items,
		lines,
		gone,
	}: {
		readonly noun: Pick<Noun<never>, 'many' | 'one'>;
		readonly marks: Marks;
		readonly verb: string;
		/** `cancelled`. */
		readonly done: string;
		readonly items: readonly Item[];
		/** What it means to how many. */
		readonly lines: readonly string[];
		readonly gone: number;
	},
	act: (item: Item) => Promise<string | undefined>,
): void {
	const count = items.length;
	const heading = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
	confirm.open(shell, {
		title: clean(`${heading} ${count} marked ${count === 1 ? one : many}`),
		lines: [
			...lines,
			...(gone > 0 ? [`${gone} of the marked are no longer in the list.`] : []),
		].map(clean),
		act: clean(`${verb} all ${count}`),
		run() {
			clearMarks(shell, marks);
			shell.attempt(async () => {
				sayOutcome(shell, clean(done), await actOnAll(items, act));
			});
		},
	});
}
