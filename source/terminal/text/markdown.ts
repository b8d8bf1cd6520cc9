import {lexer, walkTokens, type MarkedToken, type Token, type Tokens} from 'marked';
import {orElse} from '../../core/or-else.ts';
import {type Safe, escapeBlock} from '../../core/untrusted.ts';
import {widthOf} from './fit.ts';
import {partsOf, wrapWords} from './wrap-words.ts';

/** A row of a laid-out text. */
export type MarkdownRow = {
	readonly text: Safe;
	readonly kind: 'heading' | 'text' | 'code' | 'entry';
};

/** Foreign text beyond these bounds is shown unparsed: parsing may take longer than its length suggests. */
const foreignBounds = {characters: 32 * 1024, marks: 2000} as const;

/** Text beyond this is not parsed, but shown as written. */
const maxCharacters = 256 * 1024;

/** The narrowest column in which a table's last cells are wrapped. */
const narrowestColumn = 28;

/**
 * Markdown as rows of at most `width` cells (at least 20), for a screen or a pager. Emphasis marks and HTML comments are left out; a table wider than the screen
 * becomes one entry per row. All else is escaped.
 */
export function layOutMarkdown(text: string, width: number): readonly MarkdownRow[] {
	const room = Math.max(20, width);
	return text.length > maxCharacters ? rowsOf(text, 'text', room) : blocksOf(lexer(text), room);
}

/**
 * Lays out a stranger's Markdown. Nothing is hidden: comments, definitions and the targets of links and pictures are shown. A text that would be slow or too
 * deeply nested to parse is shown as written.
 */
export function layOutForeignMarkdown(text: string, width: number): readonly MarkdownRow[] {
	const room = Math.max(20, width);
	const marks = text.match(/[*_~[`>|]/g)?.length ?? 0;
	const isBounded = text.length <= foreignBounds.characters && marks <= foreignBounds.marks;
	// Deep nesting may overflow the stack.
	const rows = isBounded && orElse(() => blocksOf(shownWhole(lexer(text)), room), undefined);
	return rows || rowsOf(text, 'text', room);
}

/** `tokens` with their invisible parts turned into text. */
function shownWhole(tokens: readonly Token[]): readonly Token[] {
	void walkTokens([...tokens], token => {
		if (token.type === 'code' && !language.test(token['lang'] ?? '')) {
			Object.assign(token, {text: `${token['lang']}\n${token['text']}`});
			return;
		}

		const plain = plainOf(token);
		if (plain !== undefined) {
			Object.assign(token, {type: 'text', raw: plain, text: plain, tokens: undefined});
		}
	});
	return tokens;
}

function plainOf(token: Token): string | undefined {
	switch (token.type) {
		case 'def':
		case 'html':
			return token.raw.trim();
		case 'link':
		case 'image':
			return linkWhole(token);
		default:
			return undefined;
	}
}

/** A link's words with its target and title; `undefined` if the words contain both. */
function linkWhole(token: Tokens.Generic): string | undefined {
	const {text, href, title} = token;
	const beside = [
		...(text === href ? [] : [String(href)]),
		...(typeof title === 'string' && title !== '' ? [JSON.stringify(title)] : []),
	];
	return beside.length === 0 ? undefined : `${text} (${beside.join(' ')})`;
}

/** The name of a language; other text after a code fence would be invisible. */
const language = /^[\w+#.-]{0,20}$/;

function blocksOf(tokens: readonly Token[], width: number): readonly MarkdownRow[] {
	const rows: MarkdownRow[] = [];
	for (const token of known(tokens)) {
		const laid = blockOf(token, width);
		if (laid.length > 0) {
			if (rows.length > 0) {
				rows.push(blank);
			}

			rows.push(...laid);
		}
	}

	return rows;
}

/** Treats all tokens as the library's own kinds: no extension that adds others is used. */
const known = (tokens: readonly Token[] = []): readonly MarkedToken[] =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
	tokens as readonly MarkedToken[];

function blockOf(token: MarkedToken, width: number): readonly MarkdownRow[] {
	switch (token.type) {
		case 'heading':
			return rowsOf(inline(token.tokens), 'heading', width);
		case 'code':
			return indented(rowsOf(token.text, 'code', width - 2));
		case 'blockquote':
			return indented(blocksOf(token.tokens, width - 2));
		case 'list':
			return token.items.flatMap((item, index) =>
				itemRows(item, token.ordered ? `${(Number(token.start) || 0) + index}. ` : '- ', width),
			);
		case 'table':
			return tableRows(token, width);
		case 'space':
		case 'def':
		case 'hr':
			return [];
		case 'html':
			return /^<!--[^]*-->\s*$/.test(token.raw) ? [] : rowsOf(token.raw.trim(), 'text', width);
		case 'paragraph':
		case 'text':
			return rowsOf(inline(token.tokens) || token.text, 'text', width);
		case 'br':
		case 'checkbox':
		case 'codespan':
		case 'del':
		case 'em':
		case 'escape':
		case 'image':
		case 'link':
		case 'list_item':
		case 'strong':
			// No block handler: the library nests these tokens in others.
			return rowsOf(token.raw, 'text', width);
	}
}

function itemRows(
	{tokens, task, checked}: Tokens.ListItem,
	mark: string,
	width: number,
): readonly MarkdownRow[] {
	const box = task ? `[${checked ? 'x' : ' '}] ` : '';
	const rows = known(tokens).flatMap(token => blockOf(token, width - mark.length));
	return (rows.length > 0 ? rows : [blank]).map((row, index) => ({
		...row,
		text: joined(index === 0 ? mark + box : ' '.repeat(mark.length), row.text),
	}));
}

function tableRows({header, rows}: Tokens.Table, width: number): readonly MarkdownRow[] {
	const cells = [header, ...rows].map(row => row.map(({tokens}) => inline(tokens)));
	const widths = header.map((_, column) =>
		Math.max(...cells.map(row => widthOf(cleaned(row[column] ?? '')))),
	);
	const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
	const last = Math.min(widths.at(-1) ?? 0, width - before);
	return last === widths.at(-1) || (last >= narrowestColumn && before <= width / 2)
		? cells.flatMap((row, index) => columnRows(row, [...widths.slice(0, -1), last], index === 0))
		: cells.slice(1).flatMap(row => entryRows(row, cells[0] ?? [], width));
}

function columnRows(
	row: readonly string[],
	widths: readonly number[],
	isHead: boolean,
): readonly MarkdownRow[] {
	const first = row
		.slice(0, -1)
		.map(text => cleaned(text))
		.map(
			(text, column) => text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(text)) + 2),
		)
		.join('');
	const wrapped = [...wrapWords(cleaned(row.at(-1) ?? ''), widths.at(-1) ?? 1)];
	return wrapped.map((text, index) => ({
		text: joined(index === 0 ? first : ' '.repeat(widthOf(cleaned(first))), text),
		kind: isHead ? ('heading' as const) : ('text' as const),
	}));
}

/** A row of a table that is too wide: its first cell, the others below. */
const entryRows = (
	[name = '', ...others]: readonly string[],
	[, ...titles]: readonly string[],
	width: number,
): readonly MarkdownRow[] => [
	...rowsOf(name, 'entry', width),
	...others.flatMap((text, index) => {
		const isLast = index === others.length - 1;
		const title = isLast || text === '' ? '' : `${titles[index] ?? ''}: `;
		return text === '' ? [] : indented(rowsOf(title + text, 'text', width - 2));
	}),
];

const blank: MarkdownRow = {text: escapeBlock(''), kind: 'text'};

const indented = (rows: readonly MarkdownRow[]): readonly MarkdownRow[] =>
	rows.map(row => ({...row, text: joined('  ', row.text)}));

const joined = (head: string, tail: Safe): Safe => cleaned(head + tail);

const cleaned = (text: string): Safe => escapeBlock(text, {maxLength: maxCharacters});

const rowsOf = (text: string, kind: MarkdownRow['kind'], width: number): readonly MarkdownRow[] =>
	partsOf(cleaned(text), '\n')
		.flatMap(line => (kind === 'code' ? [line] : [...wrapWords(line, Math.max(8, width))]))
		.map(line => ({text: line, kind}));

/** The text of inline tokens. */
const inline = (tokens: readonly Token[] | undefined): string =>
	known(tokens).map(wordsOf).join('');

function wordsOf(token: MarkedToken): string {
	switch (token.type) {
		case 'codespan':
		case 'image':
		case 'escape':
			return token.text;
		case 'br':
			return '\n';
		case 'link':
			return linkWords(token);
		case 'strong':
		case 'em':
		case 'del':
			return inline(token.tokens);
		case 'text':
			return token.tokens ? inline(token.tokens) : token.text;
		case 'blockquote':
		case 'checkbox':
		case 'code':
		case 'def':
		case 'heading':
		case 'hr':
		case 'html':
		case 'list':
		case 'list_item':
		case 'paragraph':
		case 'space':
		case 'table':
			// HTML as written; other tokens are blocks, which do not occur within a line.
			return token.raw;
	}
}

/** A link's words with its target, unless they contain it, or it is another page of the same manual. */
function linkWords({href, tokens}: Tokens.Link): string {
	const words = inline(tokens);
	return /^https?:/.test(href) && href !== words ? `${words} (${href})` : words;
}
