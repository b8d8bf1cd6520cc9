import {Box} from 'ink';
import {memo, type ReactNode, useState} from 'react';
import {leftRow, type Line} from '../lines/line.ts';
import type {List} from '../state/list.ts';
import {LineRow} from './line-block.tsx';
import {useStore, useShell, useKeyboard} from './shell-context.ts';

type ListRowsProps<Item> = {
	readonly list: List<Item>;
	readonly keyOf: (item: Item) => string;
	/** One item as one row. Must be the same function while nothing changed, or every row is laid out anew. */
	readonly rowOf: (item: Item, isSelected: boolean) => Line;
	readonly header?: Line | undefined;
	/** A row that stands before an item, seeing the item above it; the list's height must leave room for what can be there. */
	readonly headingOf?: (item: Item, above: Item | undefined) => Line | undefined;
	/** A row that stands under an item; the same holds for it. */
	readonly noteOf?: (item: Item) => Line | undefined;
	readonly width: number;
	readonly height: number;
	/** Instead of rows, when there are none. */
	readonly whenEmpty: ReactNode;
};

type RowProps<Item> = Pick<ListRowsProps<Item>, 'rowOf' | 'width'> & {
	readonly item: Item;
	readonly isSelected: boolean;
	/** It is selected, and keys go elsewhere. */
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

/** The window of a list: as many rows as have room, whatever the length of the list. */
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

/** Numbers of places for rows with these keys, in their order. */
type RowPlaces = (keys: readonly string[]) => readonly number[];

/**
 * Gives each visible row a place in the tree: a row that stays keeps its place, a new one takes a free place. So a row that scrolls out becomes the one that scrolls in, which
 * costs a new text; a place of its own for every row would be taken down and built up with each, which costs several times as much where events pour in.
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
