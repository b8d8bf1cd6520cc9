import {cutText, largest} from './cut-text.ts';
import {tableLines, withTargets} from './dialect.ts';
import {type Block, type ListBlock, paragraphOf, type TextRun, type TableBlock} from './parse.ts';

/** The room left in a piece. */
export type Room = {
	/** By how much blocks exceed it: at most 0 where they fit, `Infinity` where it was not measured. */
	readonly over: (blocks: readonly Block[]) => number;
	/** By how much they would exceed an empty piece. */
	readonly overAlone: (blocks: readonly Block[]) => number;
	/** Whether the piece is empty. */
	readonly isEmpty: boolean;
};

/** The blocks of a piece, and the remaining ones. */
export type Cut = {readonly head: readonly Block[]; readonly tail: readonly Block[]};

/** What is already known: the blocks do not fit; they would not fit an empty piece. */
type Known = 'no room' | 'too long' | undefined;

/**
 * Takes as many blocks as fit a piece. A block that would fit a piece of its own is not cut, unless only headings precede it; longer ones are cut at their items, rows or
 * lines. `head` is empty if nothing fits.
 */
export function cutBlocks(blocks: readonly Block[], room: Room, known?: Known): Cut {
	const count = largest(blocks.length - (known ? 1 : 0), length =>
		room.over(blocks.slice(0, length)),
	);
	const next = blocks[count];
	if (!next) {
		return {head: blocks, tail: []};
	}

	const before = blocks.slice(0, count);
	const isHeaded = count > 0 && before.every(({type}) => type === 'heading');
	const isLong =
		(count === 0 && room.isEmpty) ||
		(known === 'too long' && blocks.length === 1) ||
		(!isHeaded && room.overAlone([next]) > 0);
	if (isLong || isHeaded) {
		const {head, tail} = cutBlock(
			next,
			{
				...room,
				over: some => room.over([...before, ...some]),
				isEmpty: room.isEmpty && count === 0,
			},
			isLong ? 'too long' : 'no room',
		);
		if (head.length > 0) {
			return {head: [...before, ...head], tail: [...tail, ...blocks.slice(count + 1)]};
		}
	}

	// Headings go with what follows them.
	const end = isHeaded ? count : before.findLastIndex(({type}) => type !== 'heading') + 1;
	return {head: blocks.slice(0, end), tail: blocks.slice(end)};
}

function cutBlock(block: Block, room: Room, known: Known): Cut {
	const nothing = {head: [], tail: [block]};
	switch (block.type) {
		case 'paragraph':
		case 'heading': {
			const cut = cutText(block.runs, runs => room.over([{...block, runs}]));
			return cut
				? {head: [{...block, runs: cut.head}], tail: rest(cut.tail, runs => ({...block, runs}))}
				: nothing;
		}

		case 'code': {
			const runs = [{text: block.text}];
			const cut = cutText(runs, some => room.over([withCode(block, some)]), 'code');
			return cut
				? {head: [withCode(block, cut.head)], tail: rest(cut.tail, some => withCode(block, some))}
				: nothing;
		}

		case 'list':
			return cutList(block, room, known);
		case 'table':
			return cutTable(block, room);
		case 'quote': {
			const inner: Room = {
				over: blocks => room.over([{...block, blocks}]),
				overAlone: blocks => room.overAlone([{...block, blocks}]),
				isEmpty: room.isEmpty,
			};
			const {head, tail} = cutBlocks(block.blocks, inner, known);
			return head.length === 0
				? nothing
				: {
						head: [{...block, blocks: head}],
						tail: tail.length === 0 ? [] : [{...block, blocks: tail}],
					};
		}

		case 'rule':
			return nothing;
	}
}

const rest = (
	runs: readonly TextRun[],
	blockOf: (runs: readonly TextRun[]) => Block,
): readonly Block[] => (runs.length === 0 ? [] : [blockOf(runs)]);

const withCode = (block: Extract<Block, {type: 'code'}>, runs: readonly TextRun[]): Block => ({
	...block,
	text: runs.map(({text}) => text).join(''),
});

/** The rest of a cut item precedes the following items, without a bullet: the item already has one. */
function cutList(list: ListBlock, room: Room, known: Known): Cut {
	const {items, start} = list;
	const withItems = (some: ListBlock['items']): readonly Block[] => [{...list, items: some}];
	const listFrom = (index: number): readonly Block[] =>
		index < items.length
			? [
					{
						...list,
						start: start === undefined ? undefined : start + index,
						items: items.slice(index),
					},
				]
			: [];
	const count = largest(items.length - 1, length => room.over(withItems(items.slice(0, length))));
	const before = items.slice(0, count);
	const item = items[count] ?? [];
	const isLong =
		(known === 'too long' && items.length === 1) ||
		(count === 0 && room.isEmpty) ||
		room.overAlone(withItems([item])) > 0;
	if (count === 0 || isLong) {
		const {head, tail} = cutBlocks(
			item,
			{
				over: blocks => room.over(withItems([...before, blocks])),
				overAlone: blocks => room.overAlone(withItems([blocks])),
				isEmpty: room.isEmpty && count === 0,
			},
			isLong ? 'too long' : 'no room',
		);
		if (head.length > 0) {
			return {head: withItems([...before, head]), tail: [...tail, ...listFrom(count + 1)]};
		}
	}

	return count === 0 ? {head: [], tail: [list]} : {head: withItems(before), tail: listFrom(count)};
}

/** The rest repeats the header. Where not one row fits, the rows become lines. */
function cutTable(table: TableBlock, room: Room): Cut {
	const {rows} = table;
	const withRows = (some: TableBlock['rows']): readonly Block[] => [{...table, rows: some}];
	const count = largest(rows.length - 1, length => room.over(withRows(rows.slice(0, length))));
	if (count > 0) {
		return {head: withRows(rows.slice(0, count)), tail: withRows(rows.slice(count))};
	}

	return room.overAlone(withRows(rows.slice(0, 1))) > 0
		? cutBlocks(tableLines(table), room)
		: {head: [], tail: [table]};
}

/** A block as text without marks, for where not even its markup fits. */
export function flatten(block: Block): readonly Block[] {
	switch (block.type) {
		case 'paragraph':
		case 'heading':
			return [paragraphOf(withTargets(block.runs).map(({text}) => ({text})))];
		case 'code':
			return [paragraphOf([{text: block.text}])];
		case 'table':
			return tableLines(block).flatMap(flatten);
		case 'quote':
			return block.blocks.flatMap(flatten);
		case 'list':
			return block.items.flatMap((item, index) => [
				...(block.start === undefined ? [] : [paragraphOf([{text: `${block.start + index}.`}])]),
				...item.flatMap(flatten),
			]);
		case 'rule':
			return [];
	}
}
