import type {JsonObject} from '../../core/json.ts';
import {grouped} from '../../core/names.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Act} from '../../nouns/act.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import type {Noun} from '../../nouns/noun.ts';
import {askForTold} from '../dialogs/act-form.ts';
import {confirm} from '../dialogs/questions.ts';
import {actOnAll, clearMarks, markedOf, sayOutcome, type Marks} from '../lines/marks.ts';
import type {Host, Shell} from '../shell/shell.ts';

/** Marked ones are acted on, whichever is selected. */
export type Marked<Item> = {
	readonly marks: Marks<Item>;
	/** What is in memory: also what was paged to, and what the filter keeps out. */
	readonly all: (shell: Shell) => readonly Item[];
};

export const hasMarked = ({local}: Host, marks: Marks): boolean => local(marks).get().size > 0;

type MarkedNoun<Item> = {
	readonly noun: Pick<Noun<Item>, 'id' | 'many' | 'name' | 'one'>;
	readonly marked: Marked<Item>;
};

/** Asks once for all that are marked, with what it means to how many of them, then does it to each. */
export function askForMarked<Item>(
	shell: Shell,
	{noun, marked}: MarkedNoun<Item>,
	{verb, all, effect, fields, gone}: Act<Item, GatewayPort, unknown>,
): void {
	if (!all) {
		return;
	}

	const found = markedOf(shell.local(marked.marks).get(), marked.all(shell), noun.id);
	const able = found.items.filter(item => all.means(item) !== undefined);
	const unable = found.items.length - able.length;
	if (able.length === 0) {
		shell.toast(escapeLine(`None of the marked ${noun.many} can be ${all.done}`), 'warn');
		return;
	}

	const kinds = Map.groupBy(able, item => `${all.kind(item)}: ${all.means(item)}`);
	const lines = [
		...[...kinds].map(([words, {length}]) => `${grouped(length)} ${words}`),
		...(unable > 0
			? [`${grouped(unable)} of the marked cannot be ${all.done}: left as they are.`]
			: []),
	];
	askForAll(
		shell,
		{
			noun,
			marks: marked.marks,
			verb,
			done: all.done,
			items: able,
			lines,
			gone: found.gone,
			...(fields && {fields}),
		},
		async (item, told) =>
			(await effect(shell.port, noun.id(item), {spanMs: 0, told, item}))
				? undefined
				: `${noun.name(item)}: ${gone}`,
	);
}

type MarkedItems<Item> = {
	readonly noun: Pick<Noun<never>, 'many' | 'one'>;
	readonly marks: Marks;
	readonly verb: string;
	/** `cancelled`. */
	readonly done: string;
	readonly items: readonly Item[];
	/** What it means to how many. */
	readonly lines: readonly string[];
	readonly gone: number;
	/** What it may be told besides. */
	readonly fields?: readonly FieldRecord[];
};

/** Asks once for marked `items`, then does `act` to each, which answers why it could not; `gone`: how many of the marked are not among them any more. */
export function askForAll<Item>(
	shell: Shell,
	{noun: {one, many}, marks, verb, done, items, lines, gone, fields}: MarkedItems<Item>,
	act: (item: Item, told: JsonObject) => Promise<string | undefined>,
): void {
	const count = items.length;
	const heading = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
	const question = {
		title: escapeLine(`${heading} ${grouped(count)} marked ${count === 1 ? one : many}`),
		lines: [
			...lines,
			...(gone > 0 ? [`${grouped(gone)} of the marked are no longer in the list.`] : []),
		].map(text => escapeLine(text)),
		act: escapeLine(`${verb} all ${grouped(count)}`),
		run(told: JsonObject = {}) {
			clearMarks(shell, marks);
			shell.attempt(async () => {
				const outcome = await actOnAll(items, async item => act(item, told));
				sayOutcome(shell, escapeLine(done), outcome);
			});
		},
	};
	if (fields) {
		askForTold(shell, {...question, fields});
	} else {
		confirm.open(shell, question);
	}
}
