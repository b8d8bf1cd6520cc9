import {usualParts} from '../settings.ts';
import type {Format, Renderer} from './dialect.ts';
import {type Block, paragraphOf, parseMarkdown, unmarkedText} from './parse.ts';
import {type Cut, cutBlocks, flatten, type Room} from './split.ts';

export type MessageOptions<Output> = {
	readonly dialect: Renderer<Output>;
	/** The maximum length of a message, in the unit of the dialect. Below 64, marks are dropped where they leave no room. */
	readonly limit: number;
	/** At least 1. A longer text is cut, which the last message says at its end. */
	readonly maxParts: number;
	readonly format: Format;
};

/**
 * Splits a text into messages of a platform, in order: at least one, and always the same. Blocks are kept whole if possible, and each message is rendered separately, so
 * that no markup is left open. `text` is clean, as `outgoingText` makes it. Takes about linear time.
 *
 * @see manual/delivery.md#long-texts
 */
export function messagesOf<Output>(
	text: string,
	{dialect, limit, maxParts, format}: MessageOptions<Output>,
): readonly Output[] {
	const render =
		format === 'plain'
			? (blocks: readonly Block[]) => dialect.plain(textOfBlocks(blocks, '\n\n'))
			: dialect.render;
	const over = (blocks: readonly Block[]) =>
		lengthOf(blocks, 2 * limit) > 2 * limit
			? Infinity
			: dialect.measure(render(blocks), format) - limit;
	const note = paragraphOf([{text: `[cut: the whole text has ${text.length} characters]`}]);
	const overWithNote = (blocks: readonly Block[]) => over([...blocks, note]);
	const messages: Output[] = [];
	let rest: readonly Block[] =
		format === 'plain' ? [paragraphOf([{text}])] : dialect.prepare(parseMarkdown(text));
	while (rest.length > 0) {
		const {head, tail} = cutSomewhere(rest, {over, overAlone: over, isEmpty: true});
		if (messages.length === maxParts - 1 && !isBlank(tail)) {
			const room = {over: overWithNote, overAlone: overWithNote, isEmpty: true};
			messages.push(render([...cutSomewhere(rest, room).head, note]));
			break;
		}

		if (!isBlank(head)) {
			messages.push(render(head));
		}

		rest = tail;
	}

	return messages.length > 0 ? messages : [render([paragraphOf([{text}])])];
}

/** A `Sender.split` for messages of at most `limit`, in the unit of the dialect; a function if the limit depends on the place. */
export const splitAs =
	<Place extends {readonly format: Format}>(
		dialect: Renderer,
		limit: number | ((place: Place) => number),
		configured = usualParts,
	) =>
	(text: string, place: Place, maxParts = configured): readonly string[] =>
		messagesOf(text, {
			dialect,
			limit: typeof limit === 'function' ? limit(place) : limit,
			maxParts,
			format: place.format,
		});

/** Like `cutBlocks`, but always cuts: drops the markup of the first block if that leaves no room; if not even one character fits, the piece is that character. */
function cutSomewhere(blocks: readonly Block[], room: Room): Cut {
	const cut = cutBlocks(blocks, room);
	if (cut.head.length > 0) {
		return cut;
	}

	const flat = blocks.slice(0, 1).flatMap(flatten);
	const others = blocks.slice(1);
	const {head, tail} = cutBlocks(flat, room);
	if (head.length > 0 || flat.length === 0) {
		return {head, tail: [...tail, ...others]};
	}

	const [character = '', ...characters] = textOfBlocks(flat, '\n');
	const text = characters.join('');
	return {
		head: [paragraphOf([{text: character}])],
		tail: text === '' ? others : [paragraphOf([{text}]), ...others],
	};
}

const textOfBlocks = (blocks: readonly Block[], between: string): string =>
	blocks
		.flatMap(flatten)
		.map(block => ('runs' in block ? unmarkedText(block.runs) : ''))
		.join(between);

const isBlank = (blocks: readonly Block[]): boolean =>
	blocks.every(({type}) => type !== 'rule') && textOfBlocks(blocks, '').trim() === '';

/** A lower bound of the length of blocks, UTF-16 units, counted up to `max`: saves rendering blocks that cannot fit. */
function lengthOf(blocks: readonly Block[], max: number): number {
	let length = 0;
	const add = (count: number) => {
		length += count;
		return length > max;
	};
	const addBlock = (block: Block): boolean => {
		switch (block.type) {
			case 'paragraph':
			case 'heading':
				return block.runs.some(({text}) => add(text.length));
			case 'code':
				return add(block.text.length);
			case 'quote':
				return block.blocks.some(addBlock);
			case 'list':
				return block.items.some(item => add(1) || item.some(addBlock));
			case 'table':
				return [block.header, ...block.rows].some(
					row => add(1) || row.some(cell => cell.some(({text}) => add(text.length))),
				);
			case 'rule':
				return add(1);
		}
	};
	blocks.some(addBlock);
	return length;
}
