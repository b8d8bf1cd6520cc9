import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Host} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';
import {type Line} from './line.ts';
import {groupedCell} from './title-parts.ts';

/** Marked items by key; the value is a copy of an item that is only in the journal. */
type Marked<Item> = ReadonlyMap<string, Item | undefined>;

/** The rows that a person marked in a list, at most `maxMarks`. */
export type Marks<Item = unknown> = LocalState<Marked<Item>>;

export const maxMarks = 5000;

const none: Marked<never> = new Map();

/** Creates the marks of one list. */
export const createMarks = <Item>(): Marks<Item> => ({initial: none});

/** `3 marked`, for the title. */
export function marksPart({local}: Host, marks: Marks): Line {
	const {size} = local(marks).get();
	return size === 0 ? [] : [{text: safe`${groupedCell(size)} marked, Esc forgets`, tone: 'accent'}];
}

/** The sign before a row, in the column after its other signs. */
export const markSign = (isMarked: boolean): Safe => (isMarked ? literal('*') : literal(' '));

export const clearMarks = ({local}: Host, marks: Marks): void => local(marks).set(() => none);

/** Marked items that are only in the journal, then the marked ones of `items` in order, without duplicates (the last occurrence wins); `gone`: how many were not found. */
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
