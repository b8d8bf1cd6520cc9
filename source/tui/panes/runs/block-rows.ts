import {createMemory, derive} from '../../../core/derive.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {clip, widthOf} from '../../../terminal/text/fit.ts';
import {layOutForeignMarkdown, type MarkdownRow} from '../../../terminal/text/markdown.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime} from '../../../terminal/text/time.ts';
import {line, type Line, paragraph} from '../../lines/line.ts';
import type {Tone} from '../../theme/theme.ts';
import type {BlockPart, RunBlock} from './blocks.ts';

/** Before the head of a folded block. */
export const foldedMark = literal('▸ ');

/** Before the head of a block that can be folded. */
export const foldMark = (isOpen: boolean): Safe => (isOpen ? literal('▾ ') : foldedMark);

/** Blocks that a person folded or unfolded, by block key; others have their default. */
export type Folds = ReadonlyMap<string, boolean>;

const inDetail = {most: 200, key: literal('e')} as const;

const indent = literal('   ');
const indentCells = 3;

const rowTones: Readonly<Record<MarkdownRow['kind'], Tone>> = {
	heading: 'title',
	text: 'plain',
	code: 'accent',
	entry: 'strong',
};

/** A cache that lives as long as the object that the rows are made from. */
const memoryOf = derive((_from: object) => createMemory<readonly Line[]>());

/** A block's text in rows of `width` cells; memoised. */
const partRows = (part: BlockPart, width: number): readonly Line[] =>
	memoryOf(part.from)([width], () => layOutPart(part, width));

/** A text in at most `most` rows of `width` cells: the last ones of a growing text, else the first ones and the key that opens all. */
export function layOutPart(
	{text, isMarkdown, isGrowing}: Pick<BlockPart, 'isGrowing' | 'isMarkdown' | 'text'>,
	width: number,
	{most, key}: {readonly most: number; readonly key: Safe} = inDetail,
): readonly Line[] {
	const all: readonly Line[] = isMarkdown
		? layOutForeignMarkdown(text, width).map(row => line(row.text, rowTones[row.kind]))
		: paragraph(text, width);
	const excess = all.length - most;
	if (excess <= 0) {
		return all;
	}

	return isGrowing
		? [line(safe`… ${excess} rows before`, 'quiet'), ...all.slice(excess)]
		: [...all.slice(0, most), line(safe`… ${excess} more rows, ${key} opens all`, 'warn')];
}

/** The whole text of a block, if it fits into its head's row: `room` of `width` cells. */
function wholeText({facts, parts}: RunBlock, room: number, width: number): Safe | undefined {
	const [part, ...more] = parts;
	const isCandidate =
		more.length === 0 &&
		facts === '' &&
		part?.title === undefined &&
		part &&
		part.text.length <= 4 * width;
	if (!isCandidate) {
		return undefined;
	}

	const [row = [], ...others] = partRows(part, width - indentCells);
	const text = row[0]?.text ?? literal('');
	return others.length === 0 && widthOf(text) <= room ? text : undefined;
}

const isUnfolded = ({key, isOpen}: RunBlock, folds: Folds): boolean => folds.get(key) ?? isOpen;

/** A block in rows of `width` cells: its head, and if unfolded its contents. Each row has a path that identifies it. */
export function blockRows(block: RunBlock, folds: Folds, width: number): readonly Line[] {
	const {key, at, label, facts, sign, tone, parts} = block;
	const start = safe` ${clockTime(at)} `;
	const name = safe`${escapeLine(label)}  `;
	const room = width - widthOf(start) - 2 - widthOf(name);
	const whole = wholeText(block, room, width);
	const isWhole = whole !== undefined;
	const isOpen = !isWhole && isUnfolded(block, folds);
	const mark = isWhole ? literal('  ') : foldMark(isOpen);
	const said = escapeLine([facts, sign].filter(part => part !== '').join(' '));
	const rest = room - widthOf(said) - (said === '' ? 0 : 2);
	const head: Line = [
		{text: start, tone: 'quiet', at: [key]},
		{text: mark, tone: 'accent'},
		{text: name, tone},
		{text: clip(said, room), tone: sign === '✗' ? 'bad' : tone === 'bad' ? 'bad' : 'plain'},
		...(isOpen || (rest < 8 && !isWhole) || label === 'prompt'
			? []
			: [
					{
						text: safe`${literal(said === '' ? '' : '  ')}${whole ?? clip(previewOf(parts), rest)}`,
						tone: isWhole ? tone : ('quiet' as const),
					},
				]),
	];
	return isOpen ? [head, ...bodyOf(block, width)] : [head];
}

const previewOf = ([first]: readonly BlockPart[]) =>
	escapeLine((first?.text ?? '').slice(0, 1000).replaceAll(/\s+/g, ' ').trim());

const bodyOf = ({key, parts}: RunBlock, width: number): readonly Line[] =>
	parts
		.flatMap(part => [
			...(part.title === undefined ? [] : [line(escapeLine(part.title), 'title')]),
			...partRows(part, width - indentCells),
		])
		.map((row, index): Line => [{text: indent, at: [key, String(index)]}, ...row]);

/** The whole contents of a block, for the pager. */
export const blockText = ({parts}: RunBlock): string =>
	parts.map(({title, text}) => (title === undefined ? text : `${title}\n${text}`)).join('\n\n');
