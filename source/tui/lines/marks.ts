import {messageOf} from '../../core/errors.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {PaneCommand} from '../acts/command.ts';
import type {Host, Shell} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource, LocalState} from '../state/source.ts';
import {clean, type Line} from './line.ts';

/** The rows of a list that a person has marked, by the keys of their items. At most `maxMarks`. */
export type Marks = LocalState<ReadonlySet<string>>;

const maxMarks = 200;

const none: ReadonlySet<string> = new Set();

/** Marks for one list. */
export const createMarks = (): Marks => ({initial: none});

/** `3 marked`, for the title. */
export function marksPart({local}: Pick<Host, 'local'>, marks: Marks): Line {
	const {size} = local(marks).get();
	return size === 0 ? [] : [{text: safe`${size} marked, Esc forgets`, tone: 'accent'}];
}

/** What stands before a row, in the column behind its other signs. */
export const markSign = (isMarked: boolean): Safe => (isMarked ? literal('*') : literal(' '));

export const clearMarks = ({local}: Pick<Host, 'local'>, marks: Marks): void => {
	local(marks).set(() => none);
};

/** The marked ones of `items`, each once, in their order, and how many are not among them. Of one that comes twice the later counts, and its place. */
export function markedOf<Item>(
	marked: ReadonlySet<string>,
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

	return {items: [...found.values()], gone: marked.size - found.size};
}

const tooMany = (shell: Shell): void => {
	shell.toast(safe`At most ${maxMarks} rows can be marked`, 'warn');
};

/** Commands that mark rows of `source`: one, or all that pass the filter. */
export function markCommands<Item>(
	prefix: string,
	marks: Marks,
	{
		source,
		keyOf,
	}: {readonly source: ListSource<List<Item>>; readonly keyOf: (item: Item) => string},
): readonly PaneCommand[] {
	return [
		{
			id: `${prefix}.mark`,
			keys: ['v'],
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
					const next = new Set(now);
					if (!next.delete(key)) {
						next.add(key);
					}

					return next;
				});
				list.move('down');
			},
		},
		{
			id: `${prefix}.mark-all`,
			keys: ['V'],
			label: literal('mark all that pass the filter'),
			quiet: true,
			run(shell) {
				const list = shell.list(source);
				const keys = list.get().items.map(item => keyOf(item));
				if (keys.length > maxMarks) {
					tooMany(shell);
				}

				list.move('pause');
				// The newest are what a person sees.
				shell.local(marks).set(() => new Set(keys.slice(-maxMarks)));
			},
		},
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
		shell.toast(safe`${done} ${word}`, 'good');
	} else {
		shell.toast(safe`${done} ${word}, ${problems.length} could not: ${clean(first)}`, 'warn');
	}
}
