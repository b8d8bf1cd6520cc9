import {messageOf} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import {compact} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {Act} from '../../nouns/act.ts';
import type {FieldRecord} from '../../nouns/field.ts';
import type {Noun} from '../../nouns/noun.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type PaneCommand} from '../acts/command.ts';
import {askForTold} from '../dialogs/act-form.ts';
import {confirmation} from '../dialogs/questions.ts';
import {clearMarks, markedOf, maxMarks, type Marks} from '../lines/marks.ts';
import {groupedCell} from '../lines/title-parts.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';

/** If any items are marked, a command acts on them, not on the selected one. */
export type Marked<Item> = {
	readonly marks: Marks<Item>;
	/** All items in memory, including paged ones and those that the filter excludes. */
	readonly all: (shell: Shell) => readonly Item[];
};

const hasMarked = ({local}: Host, marks: Marks): boolean => local(marks).get().size > 0;

/** The command, which calls `runAll` if anything is marked. */
export const orMarked = (
	command: PaneCommand,
	marks: Marks,
	runAll: (shell: Shell) => void,
): PaneCommand => ({
	...command,
	why: shell => (hasMarked(shell, marks) ? undefined : command.why?.(shell)),
	run: shell => (hasMarked(shell, marks) ? runAll(shell) : command.run(shell)),
});

type MarkedNoun<Item> = {
	readonly noun: Pick<Noun<Item>, 'id' | 'many' | 'name' | 'one'>;
	readonly marked: Marked<Item>;
};

/** Asks once for all marked items, saying what it means for how many, then acts on each. */
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
	const lines = compact([
		...[...kinds].map(([words, {length}]) => `${groupedCell(length)} ${words}`),
		unable > 0 && `${groupedCell(unable)} of the marked cannot be ${all.done}: left as they are.`,
	]);
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
			fields,
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
	/** The verb in the outcome: `cancelled`. */
	readonly done: string;
	readonly items: readonly Item[];
	/** What the act means for how many items. */
	readonly lines: readonly string[];
	readonly gone: number;
	/** Optional details to fill in. */
	readonly fields?: readonly FieldRecord[] | undefined;
};

/** Asks once for the marked `items`, then calls `act` for each, which returns why it could not; `gone`: how many marked items no longer exist. */
export function askForAll<Item>(
	shell: Shell,
	{noun: {one, many}, marks, verb, done, items, lines, gone, fields}: MarkedItems<Item>,
	act: (item: Item, told: JsonObject) => Promise<string | undefined>,
): void {
	const count = items.length;
	const heading = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
	const question = {
		title: escapeLine(`${heading} ${groupedCell(count)} marked ${count === 1 ? one : many}`),
		lines: [
			...lines,
			...(gone > 0 ? [`${groupedCell(gone)} of the marked are no longer in the list.`] : []),
		].map(text => escapeLine(text)),
		act: escapeLine(`${verb} all ${groupedCell(count)}`),
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
		confirmation.open(shell, question);
	}
}

type MarkedList<Item> = {
	readonly source: ListSource<List<Item>>;
	readonly keyOf: (item: Item) => string;
};

/** Commands that mark rows of `source`: one, or all that match the filter. */
export function markCommands<Item>(
	prefix: string,
	marks: Marks<Item>,
	{source, keyOf}: MarkedList<Item>,
): readonly PaneCommand[] {
	const mark = (
		shell: Shell,
		{items, isCut}: {readonly items: readonly Item[]; readonly isCut: boolean},
	) => {
		const listed = new Set(shell.list(source).get().items.map(keyOf));
		const keyed = items.map(item => [keyOf(item), item] as const);
		shell
			.local(marks)
			.set(() => new Map(keyed.map(([key, item]) => [key, listed.has(key) ? undefined : item])));
		const count = groupedCell(items.length);
		if (isCut) {
			shell.toast(safe`The newest ${count} that pass are marked, there are more`, 'warn');
		} else {
			shell.toast(safe`${count} marked`);
		}
	};

	return [
		onKeys([`${prefix}.mark`, 'v'], literal('mark'), {
			quiet: true,
			why: shell =>
				shell.list(source).selectedKey() === undefined ? literal('Nothing is selected') : undefined,
			run(shell) {
				const list = shell.list(source);
				const key = list.selectedKey();
				const marked = shell.local(marks).get();
				if (key === undefined) {
					return;
				}

				if (!marked.has(key) && marked.size >= maxMarks) {
					shell.toast(safe`At most ${groupedCell(maxMarks)} rows can be marked`, 'warn');
					return;
				}

				// The marked row must not move under the next key press.
				list.move('pause');
				shell.local(marks).set(now => {
					const next = new Map(now);
					if (!next.delete(key)) {
						next.set(key, undefined);
					}

					return next;
				});
				list.move('down');
			},
		}),
		onKeys([`${prefix}.mark-all`, 'V'], literal('mark all that pass the filter'), {
			quiet: true,
			run(shell) {
				const list = shell.list(source);
				list.move('pause');
				const {items, isWhole} = list.get();
				if (isWhole) {
					mark(shell, {items: items.slice(-maxMarks), isCut: items.length > maxMarks});
					return;
				}

				// Until the number of matches is known nothing is marked: acting on a part of them would look like acting on all.
				clearMarks(shell, marks);
				shell.toast(literal('Looking for all that pass the filter'));
				shell.attempt(async () => {
					const all = await list.all(maxMarks);
					if (all) {
						mark(shell, all);
					}
				});
			},
		}),
	];
}

/** The outcome of an act on several items. */
type BulkOutcome = {readonly done: number; readonly problems: readonly string[]};

/** Calls `act` for one item after the other; a failure does not stop the rest. `act` returns why it could not. */
export async function actOnAll<Item>(
	items: readonly Item[],
	act: (item: Item) => Promise<string | undefined>,
): Promise<BulkOutcome> {
	let done = 0;
	const problems: string[] = [];
	for (const item of items) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one after the other: a hundred at once would be a flood of our own
			const problem = await act(item);
			if (problem === undefined) {
				done += 1;
			} else {
				problems.push(problem);
			}
		} catch (error) {
			problems.push(messageOf(error));
		}
	}

	return {done, problems};
}

/** Shows the outcome: `4 retried, 1 could not: it has ended`. */
export function sayOutcome(shell: Shell, word: Safe, {done, problems}: BulkOutcome): void {
	const [first] = problems;
	if (first === undefined) {
		shell.toast(safe`${groupedCell(done)} ${word}`, 'good');
	} else {
		shell.toast(
			safe`${groupedCell(done)} ${word}, ${groupedCell(problems.length)} could not: ${escapeLine(first)}`,
			'warn',
		);
	}
}
