import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Host} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import {type Line} from './line.ts';
import {groupedCell} from './title-parts.ts';

/** What is marked, by the keys of the items: one that only the journal has as it was then. */
type Marked<Item> = ReadonlyMap<string, Item | undefined>;

/** The rows of a list that a person has marked. At most `maxMarks`. */
export type Marks<Item = unknown> = LocalState<Marked<Item>>;

export const maxMarks = 5000;

const none: Marked<never> = new Map();

/** Marks for one list. */
export const createMarks = <Item>(): Marks<Item> => ({initial: none});

/** `3 marked`, for the title. */
export function marksPart({local}: Host, marks: Marks): Line {
	const {size} = local(marks).get();
	return size === 0 ? [] : [{text: safe`${groupedCell(size)} marked, Esc forgets`, tone: 'accent'}];
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
	return {items: [...stored, ...found.values()], gone: marked.size - found.size - stored.length};
}
