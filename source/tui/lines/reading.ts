import type {Safe} from '../../core/untrusted.ts';
import type {Host} from '../shell/shell.ts';
import type {List} from '../state/list.ts';
import type {ListSource} from '../state/source.ts';
import type {Line} from './line.ts';

/** An item of a list as it is read: laid out only when it is asked for. */
export type ReadRow = {
	readonly key: string;
	/** What stands before it, where another kind of items begins there. */
	readonly heading: () => Line | undefined;
	readonly line: () => Line;
	readonly note: () => Line | undefined;
};

/** A list as rows without a screen. */
export type ListReading = {
	/** The names of the columns, with two blanks between them. */
	readonly header: Safe | undefined;
	/** In the order of the list. */
	rows(host: Host): readonly ReadRow[];
};

/** Cells that a row has which is read: enough for every column. */
export const readWidth = 160;

/** How the items of a list are read: with the rows that the screen draws. */
export const readingOf = <Item>(
	source: ListSource<List<Item>>,
	{
		header,
		keyOf,
		rowsOf,
	}: {
		readonly header?: Safe;
		readonly keyOf: (item: Item) => string;
		/** What lays items out as things are now. */
		readonly rowsOf: (host: Host) => {
			readonly row: (item: Item) => Line;
			readonly heading?: (item: Item, above: Item | undefined) => Line | undefined;
			readonly note?: (item: Item) => Line | undefined;
		};
	},
): ListReading => ({
	header,
	rows(host) {
		const {row, heading, note} = rowsOf(host);
		const {items} = host.list(source).get();
		return items.map((item, index) => ({
			key: keyOf(item),
			heading: () => heading?.(item, items[index - 1]),
			line: () => row(item),
			note: () => note?.(item),
		}));
	},
});
