import stringWidth from 'string-width';
import {type InlineDialect, renderInline} from './inline.ts';
import {
	type Block,
	type Cell,
	type ListBlock,
	paragraphOf,
	type TextRun,
	type TableBlock,
	unmarkedText,
} from './parse.ts';

/** The rendered blocks of a list item. */
export type Item = ReadonlyArray<{readonly type: Block['type']; readonly text: string}>;

/** The markup of a platform: functions that escape and wrap, one per element, which receive their content already rendered. */
export type Dialect = InlineDialect & {
	readonly paragraph?: (lines: string) => string;
	/** `strong`: as a line of its own in strong text. */
	readonly heading: 'strong' | 'plain' | ((line: string, level: number) => string);
	/** `start` as in `List`; `isSecond`: it follows a list of the same kind, from which it must be kept apart. */
	readonly list: (items: readonly Item[], start: number | undefined, isSecond: boolean) => string;
	readonly quote: (blocks: string) => string;
	/** `text` unchanged, `language` as in `Block`. */
	readonly codeBlock: (text: string, language: string) => string;
	/** `grid`: columns in a block of code, or lines where that is too wide; `lines`: a line for each cell. */
	readonly table: 'grid' | 'lines' | ((rows: ReadonlyArray<readonly string[]>) => string);
	readonly rule: string;
	/** The separator between two blocks. */
	readonly between: string;
	/** Whether the target of a link is written behind it. */
	readonly showsTargets?: boolean;
	/** Renders a text to be shown unchanged; by default as one paragraph. */
	readonly plain?: (text: string) => string;
	/** The length in the unit of the platform's limit. */
	readonly measure: (rendered: string, format: Format) => number;
};

/** `plain`: a text is shown unchanged, not as Markdown. @see manual/delivery.md */
export type Format = 'markdown' | 'plain';

/**
 * Renders a text as messages of one platform. `Output` is the text of a message, or another form of it. A sender whose limit applies to the whole body measures that:
 * `{...feishu, measure: text => utf8Bytes(JSON.stringify(bodyOf(text)))}`.
 */
export type Renderer<Output = string> = {
	/** Converts everything that a reader will see to text in blocks, once for a whole text. */
	readonly prepare: (blocks: readonly Block[]) => readonly Block[];
	readonly render: (blocks: readonly Block[]) => Output;
	/** Renders a text to be shown unchanged: without markup and mentions. */
	readonly plain: (text: string) => Output;
	/** The length in the unit of the limit; at least half of the UTF-16 units that are shown. */
	readonly measure: (output: Output, format: Format) => number;
};

export const rendererOf = (dialect: Dialect): Renderer => ({
	prepare: blocks => prepared(blocks, dialect),
	render: blocks => renderBlocks(blocks, dialect),
	plain: text => dialect.plain?.(text) ?? renderBlocks([paragraphOf([{text}])], dialect),
	measure: dialect.measure,
});

/** The same renderer, with messages that are the JSON of `bodyOf`. The limit is the size of that JSON, bytes. */
export const asJson = <Output>(
	{prepare, render, plain}: Renderer<Output>,
	bodyOf: (output: Output) => unknown = output => output,
): Renderer => ({
	prepare,
	render: blocks => JSON.stringify(bodyOf(render(blocks))),
	plain: text => JSON.stringify(bodyOf(plain(text))),
	measure: json => Buffer.byteLength(json),
});

export function renderBlocks(blocks: readonly Block[], dialect: Dialect): string {
	return blocks
		.map((block, index) => renderBlock(block, dialect, blocks[index - 1]))
		.filter(text => text !== '')
		.join(dialect.between);
}

function renderBlock(block: Block, dialect: Dialect, before?: Block): string {
	switch (block.type) {
		case 'paragraph': {
			const lines = renderInline(block.runs, dialect);
			return dialect.paragraph?.(lines) ?? lines;
		}

		case 'heading': {
			const {heading} = dialect;
			const runs = block.runs.map(run => ({...run, text: run.text.replaceAll('\n', ' ')}));
			if (typeof heading === 'function') {
				return heading(renderInline(runs, dialect), block.level);
			}

			const isPlain = heading === 'plain';
			const marked = runs.map(run => (isPlain || run.code ? run : {...run, strong: true}));
			return renderBlock(paragraphOf(marked), dialect);
		}

		case 'list': {
			const isSecond =
				before?.type === 'list' && (before.start === undefined) === (block.start === undefined);
			const items = block.items.map(item => itemOf(item, dialect));
			return dialect.list(items, block.start, isSecond);
		}

		case 'quote':
			return dialect.quote(renderBlocks(block.blocks, dialect));
		case 'code':
			return dialect.codeBlock(block.text, block.language);
		case 'table':
			return renderTable(block, dialect);
		case 'rule':
			return dialect.rule;
	}
}

const itemOf = (blocks: ListBlock['items'][number], dialect: Dialect): Item =>
	blocks
		.map((block, index) => ({
			type: block.type,
			text: renderBlock(block, dialect, blocks[index - 1]),
		}))
		.filter(({text}) => text !== '');

function renderTable(table: TableBlock, dialect: Dialect): string {
	if (dialect.table === 'grid') {
		return dialect.codeBlock(gridOf(table).join('\n'), '');
	}

	if (dialect.table === 'lines') {
		return renderBlocks(tableLines(table), dialect);
	}

	const rows = [table.header, ...table.rows].map(row =>
		row.map(cell => renderInline(oneLine(cell), dialect)),
	);
	return dialect.table(rows);
}

const oneLine = (cell: Cell): readonly TextRun[] =>
	cell.map(run => ({...run, text: run.text.replaceAll('\n', ' ')}));

/** The widest grid that a phone or a narrow window shows, cells; wider tables become lines. */
const maxGridWidth = 80;

const cellText = (cell: Cell): string => unmarkedText(oneLine(cell));

const widthsOf = ({header, rows}: TableBlock): readonly number[] =>
	header.map((cell, column) =>
		[cell, ...rows.map(row => row[column] ?? [])].reduce(
			(widest, one) => Math.max(widest, stringWidth(cellText(one))),
			1,
		),
	);

const isWide = (table: TableBlock): boolean =>
	widthsOf(table).reduce((sum, width) => sum + width + 2, -2) > maxGridWidth;

export function gridOf(table: TableBlock): readonly string[] {
	const widths = widthsOf(table);
	const [head = '', ...rows] = [table.header, ...table.rows].map(row =>
		row
			.map(cellText)
			.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - stringWidth(text)))
			.join('  ')
			.trimEnd(),
	);
	return [head, widths.map(width => '-'.repeat(width)).join('  '), ...rows];
}

/** Longer column titles are not repeated before each cell. */
const maxLabelLength = 40;

/** A table without columns: a paragraph per row, with a line per cell that begins with its column title. */
export function tableLines({header, rows}: TableBlock): readonly Block[] {
	const labels = header.map(cellText);
	if (rows.length === 0 || labels.some(({length}) => length > maxLabelLength)) {
		return [header, ...rows].map(row =>
			paragraphOf(
				row.flatMap((cell, column) => [{text: column === 0 ? '' : ' | '}, ...oneLine(cell)]),
			),
		);
	}

	return rows.map(row =>
		paragraphOf(
			row.flatMap((cell, column) => [
				{text: `${column === 0 ? '' : '\n'}${labels[column] ? `${labels[column]}: ` : ''}`},
				...oneLine(cell),
			]),
		),
	);
}

/** Adds the targets of links after their words, unless the words are the target. */
export const withTargets = (runs: readonly TextRun[]): readonly TextRun[] => {
	if (runs.every(({href}) => href === undefined)) {
		return runs;
	}

	let words = '';
	return runs.flatMap(({href, ...run}, index) => {
		words += run.text;
		if (href === runs[index + 1]?.href) {
			return run;
		}

		const isShown = href === undefined || [href, href.replace(/^mailto:/, '')].includes(words);
		words = '';
		return isShown ? run : [run, {text: ` (${href})`}];
	});
};

function prepared(blocks: readonly Block[], dialect: Dialect): readonly Block[] {
	return blocks.flatMap((block): Block | readonly Block[] => {
		switch (block.type) {
			case 'paragraph':
			case 'heading':
				return dialect.showsTargets ? {...block, runs: withTargets(block.runs)} : block;
			case 'list':
				return {...block, items: block.items.map(item => prepared(item, dialect))};
			case 'quote':
				return {...block, blocks: prepared(block.blocks, dialect)};
			case 'table':
				return typeof dialect.table === 'function' ? block : preparedTable(block, dialect);
			case 'code':
			case 'rule':
				return block;
		}
	});
}

function preparedTable(table: TableBlock, dialect: Dialect): readonly Block[] {
	const grid: TableBlock = {
		...table,
		header: table.header.map(withTargets),
		rows: table.rows.map(row => row.map(withTargets)),
	};
	return dialect.table === 'lines' || isWide(grid) ? prepared(tableLines(table), dialect) : [grid];
}
