import MarkdownIt, {type Env, type Token} from 'markdown-it';
import {withoutUnwanted} from '../outgoing-message.ts';

/** Marks of text. */
export const markNames = ['strong', 'em', 'strike'] as const;

export type MarkName = (typeof markNames)[number];

/** A stretch of text with the same marks. Line breaks are line feeds. Code has no marks and no line breaks. */
export type TextRun = {readonly [Name in MarkName]?: boolean} & {
	readonly text: string;
	readonly code?: boolean;
	/** A URL with `http:`, `https:` or `mailto:`, in ASCII. */
	readonly href?: string | undefined;
};

export type Cell = readonly TextRun[];

export type ListBlock = {
	readonly type: 'list';
	/** The number of the first item; absent: bullets. */
	readonly start?: number | undefined;
	readonly items: ReadonlyArray<readonly Block[]>;
};

export type TableBlock = {
	readonly type: 'table';
	readonly header: readonly Cell[];
	readonly rows: ReadonlyArray<readonly Cell[]>;
};

/** A block of a text. */
export type Block =
	| {readonly type: 'paragraph'; readonly runs: readonly TextRun[]}
	/** `level` from 1 to 6. */
	| {readonly type: 'heading'; readonly level: number; readonly runs: readonly TextRun[]}
	| ListBlock
	| TableBlock
	| {readonly type: 'quote'; readonly blocks: readonly Block[]}
	/** `language` is a short name, or empty. */
	| {readonly type: 'code'; readonly language: string; readonly text: string}
	| {readonly type: 'rule'};

/** The deepest nesting of quotes, lists and their items; a list is two levels. */
const maxNesting = 100;

const markdown = new MarkdownIt({html: false, linkify: false, typographer: false, maxNesting});
// Targets are checked below: a link refused here would remain in the text as markup.
markdown.validateLink = () => true;

/**
 * Parses a text in Markdown (CommonMark, with tables and `~~strike~~`) into blocks, at least one. HTML is text. Images are links with their alternative text; a link to
 * anything but `http:`, `https:` or `mailto:` is text, followed by its target. A text that is nested too deeply, or would lose letters in the parser, is one paragraph,
 * unchanged.
 */
export function parseMarkdown(text: string): readonly Block[] {
	const found: Env = {};
	const tokens = markdown.parse(text, found);
	// The parser drops deeper nesting. Letters of definitions, and of cells without a column, are in no token.
	const isDropped =
		tokens.some(({level}) => level >= maxNesting - 1) ||
		lengthOfTargets(tokens) > 2 * text.length + maxTargetLength ||
		(found.references === undefined &&
			lettersIn(text) !== lettersIn(tokens.map(({content, info}) => content + info).join('')));
	const blocks = isDropped ? [] : blocksUntil('', tokens.values());
	return blocks.length > 0 ? blocks : [paragraphOf([{text}])];
}

/** A definition is written once, but every link to it repeats its target. */
const lengthOfTargets = (tokens: readonly Token[]): number =>
	tokens.reduce(
		(sum, token) =>
			sum +
			String(token.attrGet('href') ?? token.attrGet('src') ?? '').length +
			lengthOfTargets(token.children ?? []),
		0,
	);

/** Longer link targets are cut, UTF-16 units: no browser or platform accepts them. */
const maxTargetLength = 2000;

export const paragraphOf = (runs: readonly TextRun[]): Block => ({type: 'paragraph', runs});

/** The text of runs, without marks. */
export const unmarkedText = (runs: readonly TextRun[]): string =>
	runs.map(({text}) => text).join('');

const lettersIn = (text: string): number => text.replaceAll(/\P{L}+/gu, '').length;

/** The tokens before the one of type `end`, which is consumed. */
function* until(end: string, tokens: ArrayIterator<Token>): Generator<Token> {
	for (const token of tokens) {
		if (token.type === end) {
			return;
		}

		yield token;
	}
}

const blocksUntil = (end: string, tokens: ArrayIterator<Token>): readonly Block[] =>
	until(end, tokens)
		.map(token => blockOf(token, tokens))
		.filter(block => block !== undefined)
		.toArray();

function blockOf(token: Token, tokens: ArrayIterator<Token>): Block | undefined {
	switch (token.type) {
		case 'inline':
			return paragraphOf(runsOf(token.children));
		case 'heading_open': {
			const runs = runsOf(tokens.next().value?.children);
			return runs.length === 0
				? undefined
				: {type: 'heading', level: Number(token.tag.slice(1)), runs};
		}

		case 'bullet_list_open':
			return {type: 'list', items: itemsUntil('bullet_list_close', tokens)};
		case 'ordered_list_open':
			return {
				type: 'list',
				start: Number(token.attrGet('start') ?? 1),
				items: itemsUntil('ordered_list_close', tokens),
			};
		case 'blockquote_open':
			return {type: 'quote', blocks: blocksUntil('blockquote_close', tokens)};
		case 'table_open':
			return tableUntilEnd(tokens);
		case 'fence':
		case 'code_block':
			return codeOf(token);
		case 'hr':
			return {type: 'rule'};
		default:
			return undefined;
	}
}

const itemsUntil = (end: string, tokens: ArrayIterator<Token>): ListBlock['items'] =>
	until(end, tokens)
		.map(() => blocksUntil('list_item_close', tokens))
		.toArray();

function tableUntilEnd(tokens: ArrayIterator<Token>): TableBlock {
	const rows: Cell[][] = [];
	for (const {type, children} of until('table_close', tokens)) {
		if (type === 'tr_open') {
			rows.push([]);
		} else if (type === 'inline') {
			rows.at(-1)?.push(runsOf(children));
		}
	}

	const [header = [], ...others] = rows;
	return {type: 'table', header, rows: others};
}

/** Text after a fence that is not a language name is shown: readers must see all of a text. */
function codeOf({info, content}: Token): Block {
	const [said, text] = [info.trim(), content.replace(/\n$/, '')];
	return /^[\w+#.-]{0,20}$/.test(said)
		? {type: 'code', language: said, text}
		: {type: 'code', language: '', text: `${said}\n${text}`};
}

const marksByToken: Readonly<Record<string, MarkName>> = {strong: 'strong', em: 'em', s: 'strike'};

function runsOf(tokens: readonly Token[] | null | undefined): readonly TextRun[] {
	const runs: TextRun[] = [];
	const open = {strong: 0, em: 0, strike: 0};
	let link:
		| {readonly target: string; readonly href: string | undefined; begins: number}
		| undefined;
	/** Number of characters so far, without blanks around them. */
	let length = 0;
	const push = (found: string, how: Omit<TextRun, 'text'> = {}) => {
		// Entities may represent characters that are removed from texts.
		const clean = withoutUnwanted(found);
		const text = how.code ? clean.replaceAll('\n', ' ') : clean;
		const marked = markNames.filter(name => open[name] > 0 && !how.code);
		const run: TextRun = {
			...Object.fromEntries(marked.map(name => [name, true])),
			...(link?.href !== undefined && {href: link.href}),
			...how,
			text,
		};
		const last = runs.at(-1);
		length += text.trim().length;
		if (last && isAlike(last, run)) {
			runs[runs.length - 1] = {...last, text: last.text + text};
		} else if (text !== '') {
			runs.push(run);
		}
	};

	for (const token of tokens ?? []) {
		const mark = marksByToken[token.tag];
		if (mark) {
			open[mark] += token.nesting;
		} else if (token.type === 'link_open') {
			const target = targetOf(token, 'href');
			link = {target, href: safeTarget(target), begins: length};
		} else if (token.type === 'link_close' && link) {
			const {target, href, begins} = link;
			if (length === begins) {
				push(target);
			} else if (href === undefined && target !== '') {
				push(` (${target})`);
			}

			link = undefined;
		} else if (token.type === 'image') {
			const source = targetOf(token, 'src');
			const href = link?.href ?? safeTarget(source);
			const words = unmarkedText(runsOf(token.children)).trim() || source;
			push(words, {href});
			if (href === undefined && words !== source) {
				push(` (${source})`);
			}
		} else if (token.type === 'softbreak' || token.type === 'hardbreak') {
			push(length === 0 ? '' : '\n');
		} else if (token.type === 'code_inline') {
			push(token.content, {code: true});
		} else {
			push(token.content);
		}
	}

	return runs;
}

function targetOf(token: Token, name: 'href' | 'src'): string {
	const target = withoutUnwanted(String(token.attrGet(name) ?? ''));
	return target.length > maxTargetLength ? `${target.slice(0, maxTargetLength)}…` : target;
}

const isAlike = (one: TextRun, other: TextRun): boolean =>
	one.href === other.href &&
	one.code === other.code &&
	markNames.every(name => one[name] === other[name]);

/** Encodes characters that end a link, or have a meaning in one, in any platform's markup. */
function safeTarget(target: string): string | undefined {
	const safe = target.replaceAll(/[^\x21-\x7e]|["'()*<>\\`|]/gu, character =>
		[...Buffer.from(character)]
			.map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
			.join(''),
	);
	return /^(?:https?:\/\/|mailto:)[^/]/i.test(safe) && !target.endsWith('…') ? safe : undefined;
}
