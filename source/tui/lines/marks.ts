import {messageOf} from '../../core/errors.ts';
import {grouped} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {type PaneCommand, onKeys} from '../acts/command.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource, LocalState} from '../state/source.ts';
import {type Line} from './line.ts';

/** What is marked, by the keys of the items: one that only the journal has as it was then. */
type Marked<Item> = ReadonlyMap<string, Item | undefined>;

/** The rows of a list that a person has marked. At most `maxMarks`. */
export type Marks<Item = unknown> = LocalState<Marked<Item>>;

const maxMarks = 5000;

const none: Marked<never> = new Map();

const counted = (count: number): Safe => escapeLine(grouped(count));

/** Marks for one list. */
export const createMarks = <Item>(): Marks<Item> => ({initial: none});

/** `3 marked`, for the title. */
export function marksPart({local}: Host, marks: Marks): Line {
	const {size} = local(marks).get();
	return size === 0 ? [] : [{text: safe`${counted(size)} marked, Esc forgets`, tone: 'accent'}];
}

/** What stands before a row, in the column behind its other signs. */
export const markSign = (isMarked: boolean): Safe => (isMarked ? literal('*') : literal(' '));

export const clearMarks = ({local}: Host, marks: Marks): void => local(marks).set(() => none);

/** The marked ones that only the journal has, then those of `items`, each once, in their order; and how many are gone. Of one that comes twice the later counts, and its place. */
export function markedOf<Item>(
	marked: Marked<Item>,
	items: readonly Item[],
	keyOf: (item: Item) => string,
): {readonly items: readonly Item[]; readonly gone: number} {
	const found = new Map<string, Item>();
	for (const item of items) {
		const key = keyOf(item);
		if (marked.has(key)) {
			found.delete(key);
			found.set(key, item);
		}
	}

	const stored = [...marked].flatMap(([key, item]) =>
		item === undefined || found.has(key) ? [] : [item],
	);
	return {
		items: [...stored, ...found.values()],
		gone: marked.size - found.size - stored.length,
	};
}

const tooMany = (shell: Shell): void =>
	shell.toast(safe`At most ${counted(maxMarks)} rows can be marked`, 'warn');

type MarkedList<Item> = {
	readonly source: ListSource<List<Item>>;
	readonly keyOf: (item: Item) => string;
};

/** Commands that mark rows of `source`: one, or all that pass the filter. */
export function markCommands<Item>(
	prefix: string,
	marks: Marks<Item>,
	{source, keyOf}: MarkedList<Item>,
): readonly PaneCommand[] {
	const mark = (
		shell: Shell,
		{items, isCut}: {readonly items: readonly Item[]; readonly isCut: boolean},
	) => {
		const listed = new Set(
			shell
				.list(source)
				.get()
				.items.map(item => keyOf(item)),
		);
		const keyed = items.map(item => [keyOf(item), item] as const);
		shell
			.local(marks)
			.set(() => new Map(keyed.map(([key, item]) => [key, listed.has(key) ? undefined : item])));
		const count = counted(items.length);
		if (isCut) {
			shell.toast(safe`The newest ${count} that pass are marked, there are more`, 'warn');
		} else {
			shell.toast(safe`${count} marked`);
		}
	};

	return [
		onKeys(`${prefix}.mark`, ['v'], {
			label: literal('mark'),
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
					tooMany(shell);
					return;
				}

				// What is marked must not move away under the next key.
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
		onKeys(`${prefix}.mark-all`, ['V'], {
			label: literal('mark all that pass the filter'),
			quiet: true,
			run(shell) {
				const list = shell.list(source);
				list.move('pause');
				const {items, isWhole} = list.get();
				if (isWhole) {
					mark(shell, {items: items.slice(-maxMarks), isCut: items.length > maxMarks});
					return;
				}

				// Until it is known how many there are, nothing is marked: what a key did to a part of them would look like all.
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

/** What became of an act on several items. */
export type BulkOutcome = {readonly done: number; readonly problems: readonly string[]};

/** Does `act` to one item after the other; what fails for one does not stop the others. `act` answers why it could not. */
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

/** Says what became of it: `4 retried, 1 could not: it has ended`. */
export function sayOutcome(shell: Shell, word: Safe, {done, problems}: BulkOutcome): void {
	const [first] = problems;
	if (first === undefined) {
		shell.toast(safe`${counted(done)} ${word}`, 'good');
	} else {
		shell.toast(
			safe`${counted(done)} ${word}, ${counted(problems.length)} could not: ${escapeLine(first)}`,
			'warn',
		);
	}
}
