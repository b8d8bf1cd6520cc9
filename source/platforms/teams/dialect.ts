import {type Dialect, gridOf, type Renderer, rendererOf} from '../text/dialect.ts';
import {commonMark, utf8Bytes} from '../text/elements.ts';
import {type Block, type ListBlock, paragraphOf} from '../text/parse.ts';

/** An element of a card's body. @see adaptivecards.io/explorer, version 1.5; CodeBlock: learn.microsoft.com/microsoftteams, cards-format */
export type CardElement =
	| {
			readonly type: 'TextBlock';
			readonly text: string;
			readonly wrap: true;
			readonly weight?: 'Bolder';
			readonly size?: 'Large' | 'Medium';
			readonly separator?: true;
	  }
	| {readonly type: 'CodeBlock'; readonly codeSnippet: string; readonly language: string}
	| {
			readonly type: 'Container';
			readonly style: 'emphasis';
			readonly items: readonly CardElement[];
	  };

/** A text block has strong and emphasised text, links and lists, and nothing else. Two line feeds are a new line. */
const inText = {
	...commonMark,
	marks: {
		strong: commonMark.marks.strong,
		em: {open: '_', close: '_', where: 'alone'},
	},
	code: commonMark.text,
	lineBreak: '\n\n',
	paragraph: lines => commonMark.paragraph(lines),
	heading: 'strong',
} as const satisfies Dialect;

const text = rendererOf(inText);

/** Languages that a code block supports. */
const languages =
	'Bash C C# C++ CSS Go GraphQL HTML Java JavaScript JSON Perl PHP PowerShell Python SQL TypeScript XML'.split(
		' ',
	);

/** Other names of these languages, in lower case. */
const aliases = new Map([
	['cpp', 'C++'],
	['cs', 'C#'],
	['csharp', 'C#'],
	['js', 'JavaScript'],
	['py', 'Python'],
	['sh', 'Bash'],
	['shell', 'Bash'],
	['ts', 'TypeScript'],
	['tsx', 'TypeScript'],
]);

const languageOf = (written: string): string => {
	const name = written.toLowerCase();
	return languages.find(one => one.toLowerCase() === name) ?? aliases.get(name) ?? 'PlainText';
};

const codeBlock = (codeSnippet: string, language: string): CardElement => ({
	type: 'CodeBlock',
	codeSnippet,
	language: languageOf(language),
});

type TextBlock = Extract<CardElement, {type: 'TextBlock'}>;

const textBlock = (
	blocks: readonly Block[],
	more: Partial<Omit<TextBlock, 'text'>> = {},
): CardElement => ({type: 'TextBlock', text: text.render(blocks), wrap: true, ...more});

function elementsOf(block: Block): readonly CardElement[] {
	switch (block.type) {
		case 'paragraph':
			return [textBlock([block])];
		case 'heading':
			return [
				textBlock([paragraphOf(block.runs)], {
					weight: 'Bolder',
					...(block.level < 3 && {size: block.level === 1 ? 'Large' : 'Medium'}),
				}),
			];
		case 'list':
			return listOf(block);
		case 'quote':
			return [{type: 'Container', style: 'emphasis', items: block.blocks.flatMap(elementsOf)}];
		case 'code':
			return [codeBlock(block.text, block.language)];
		case 'table':
			return [codeBlock(gridOf(block).join('\n'), '')];
		case 'rule':
			return [{type: 'TextBlock', text: ' ', wrap: true, separator: true}];
	}
}

const isOfText = (block: Block): boolean =>
	block.type === 'paragraph' ||
	block.type === 'heading' ||
	(block.type === 'list' && block.items.every(item => item.every(isOfText)));

/** Items are joined in one text block, until one contains something that needs an element of its own. */
function listOf({start, items}: ListBlock): readonly CardElement[] {
	const elements: CardElement[] = [];
	let texts: Array<readonly Block[]> = [];
	for (const [index, item] of items.entries()) {
		const beside = item.findIndex(block => !isOfText(block));
		texts.push(beside === -1 ? item : item.slice(0, beside));
		if (beside !== -1 || index === items.length - 1) {
			const first = start === undefined ? undefined : start + index + 1 - texts.length;
			const rendered = text.render([{type: 'list', start: first, items: texts}]);
			elements.push(
				{type: 'TextBlock', text: rendered.replaceAll(/\n+/g, '\r'), wrap: true},
				...(beside === -1 ? [] : item.slice(beside).flatMap(elementsOf)),
			);
			texts = [];
		}
	}

	return elements;
}

/** The body of a card. Without `msteams.entities` it mentions nobody. The sender measures the limit on the whole message, bytes; by default it is that of the elements. */
export const teams: Renderer<readonly CardElement[]> = {
	prepare: text.prepare,
	render: blocks => blocks.flatMap(elementsOf),
	plain: plain => [textBlock([paragraphOf([{text: plain}])])],
	measure: elements => utf8Bytes(JSON.stringify(elements)),
};
