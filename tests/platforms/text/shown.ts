import MarkdownIt, {type Token} from 'markdown-it';
import type {CardElement} from '../../../source/platforms/teams/dialect.ts';
import {type Block, unmarkedText} from '../../../source/platforms/text/parse.ts';

const markdown = new MarkdownIt({html: false});

/** What a reader of Markdown sees of it; numbers of lists are not among it, and code where that is wanted. */
export const shownMarkdown = (text: string, isCodeShown = true): string =>
	shownTokens(markdown.parse(text, {}), isCodeShown);

const shownTokens = (tokens: readonly Token[], isCodeShown: boolean): string =>
	tokens
		.map(({type, content, children}) => {
			if (type === 'inline') {
				return `${shownTokens(children ?? [], isCodeShown)}\n`;
			}

			return type === 'text' || isCodeShown ? content : ' ';
		})
		.join('');

/** What a reader of HTML sees of it. */
export const shownHtml = (html: string): string => withoutEntities(html.replaceAll(/<[^>]*>/g, ''));

export const withoutEntities = (text: string): string =>
	text
		.replaceAll('&lt;', '<')
		.replaceAll('&gt;', '>')
		.replaceAll('&quot;', '"')
		.replaceAll('&amp;', '&');

/** What a reader of a card sees of it. */
export const shownCard = (elements: readonly CardElement[]): string =>
	elements
		.map(element =>
			element.type === 'Container'
				? shownCard(element.items)
				: element.type === 'CodeBlock'
					? element.codeSnippet
					: shownMarkdown(element.text.replaceAll('\r', '\n')),
		)
		.join('\n');

/** The texts of a tree, without its numbers. */
export const textOfTree = (blocks: readonly Block[]): string =>
	blocks
		.map(block => {
			switch (block.type) {
				case 'paragraph':
				case 'heading':
					return unmarkedText(block.runs);
				case 'list':
					return block.items.map(textOfTree).join('');
				case 'quote':
					return textOfTree(block.blocks);
				case 'table':
					return [block.header, ...block.rows].map(row => row.map(unmarkedText).join('')).join('');
				case 'code':
					return block.text;
				case 'rule':
					return '';
			}
		})
		.join('');

/** Letters and digits: what no escape, mark or line break is made of. */
export const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '');

/**
 * What a reader of a styled text of Signal sees, and each stretch that is marked, in the order of their ends. A sign is a mark wherever it stands, also in code, unless a backslash is
 * right in front of it; that backslash is not shown.
 *
 * @see bbernhard/signal-cli-rest-api src/utils/textstyleparser.go
 */
export function shownSignal(styled: string) {
	const open: Array<{readonly sign: string; readonly from: number}> = [];
	const marked: Array<readonly [sign: string, text: string]> = [];
	let shown = '';
	for (const [token] of styled.matchAll(/\\?(?:\*{1,3}|\|\||[~`])|\\\|(?!\|)|[^]/g)) {
		const last = open.at(-1);
		if (!/^(?:[*~`]|\|\|)/.test(token)) {
			shown += /^\\[*~`|]/.test(token) ? token.slice(1) : token;
		} else if (last?.sign === token) {
			open.pop();
			marked.push([token, shown.slice(last.from)]);
		} else {
			open.push({sign: token, from: shown.length});
		}
	}

	return {shown, marked};
}
