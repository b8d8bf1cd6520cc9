import {Box} from 'ink';
import {memo, type ReactNode, useState} from 'react';
import {leftRow, type Line} from '../lines/line.ts';
import type {List} from '../state/list.ts';
import {LineRow} from './line-block.tsx';
import {useStore, useShell, useKeyboard} from './shell-context.ts';

type ListRowsProps<Item> = {
	readonly list: List<Item>;
	readonly keyOf: (item: Item) => string;
	/** Renders an item as a row. Must be the same function while nothing changed, or every row is laid out again. */
	readonly rowOf: (item: Item, isSelected: boolean) => Line;
	readonly header?: Line | undefined;
	/** A row before an item, given the item above it; the list's height must reserve room for these. */
	readonly headingOf?: (item: Item, above: Item | undefined) => Line | undefined;
	/** A row below an item; room must be reserved as for headings. */
	readonly noteOf?: (item: Item) => Line | undefined;
	readonly width: number;
	readonly height: number;
	/** Shown if there are no rows. */
	readonly whenEmpty: ReactNode;
};

type RowProps<Item> = Pick<ListRowsProps<Item>, 'rowOf' | 'width'> & {
	readonly item: Item;
	readonly isSelected: boolean;
	/** The row is selected, but the list is not focused. */
	readonly isLeft: boolean;
};

function PlainRow<Item>({item, isSelected, isLeft, rowOf, width}: RowProps<Item>) {
	const row = rowOf(item, isSelected);
	return <LineRow row={isLeft ? leftRow(row) : row} width={width} />;
}

// `memo` forgets type parameters.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const Row = memo(PlainRow) as typeof PlainRow;

const HeadRow = ({row, width}: {readonly row: Line; readonly width: number}) => (
	<Box height={1} flexShrink={0}>
		<LineRow row={row} width={width} />
	</Box>
);

/** The visible window of a list: as many rows as fit, however long the list is. */
export function ListRows<Item>(props: ListRowsProps<Item>) {
	const {list, keyOf, rowOf, header, headingOf, noteOf, width, height, whenEmpty} = props;
	const view = useStore(list, value => value);
	const hasKeyboard = useKeyboard(useShell(), 'list');
	const selected = view.items[view.window.cursor];
	const rows = list.shown().slice(0, Math.max(0, height - (header ? 1 : 0)));
	const [placesOf] = useState(createRowPlaces);
	const places = placesOf(rows.map(keyOf));
	return (
		<Box flexDirection="column" width={width} height={height} overflow="hidden" flexShrink={0}>
			{view.items.length === 0
				? whenEmpty
				: [
						...(header ? [<HeadRow key="header" row={header} width={width} />] : []),
						...rows.flatMap((item, index) => {
							const heading = headingOf?.(item, rows[index - 1]);
							const note = noteOf?.(item);
							const key = keyOf(item);
							return [
								...(heading
									? [<HeadRow key={`heading ${key}`} row={heading} width={width} />]
									: []),
								<Box key={`row ${places[index]}`} height={1} flexShrink={0}>
									<Row
										item={item}
										isSelected={item === selected}
										isLeft={item === selected && !hasKeyboard}
										rowOf={rowOf}
										width={width}
									/>
								</Box>,
								...(note ? [<HeadRow key={`note ${key}`} row={note} width={width} />] : []),
							];
						}),
					]}
		</Box>
	);
}

/** Slot numbers for rows with these keys, in order. */
type RowPlaces = (keys: readonly string[]) => readonly number[];

/**
 * Assigns each visible row a slot in the React tree: a row that stays keeps its slot, a new one takes a free slot. So a row that scrolls out turns into the one
 * that scrolls in, which only changes its text. With one node per row, each would be unmounted and mounted, which costs several times as much under many events.
 */
export function createRowPlaces(): RowPlaces {
	let last: ReadonlyMap<string, number> = new Map();
	return keys => {
		const shown = new Set(keys);
		const left = [...last].flatMap(([key, place]) => (shown.has(key) ? [] : [place]));
		const known = new Set(last.values());
		const others = keys.keys().filter(place => !known.has(place));
		const free = [...left, ...others].values();
		const places = new Map(
			keys.map(key => [key, last.get(key) ?? free.next().value ?? -1] as const),
		);
		last = places;
		return [...places.values()];
	};
}
