import {type Dialect, type Renderer, rendererOf} from './dialect.ts';
import {
	brokenFenced,
	bullets,
	codePoints,
	codeSpan,
	commonMark,
	fenced,
	headingOf,
	inAttribute,
	lineWith,
	markdownList,
	markdownSigns,
	markdownTable,
	pair,
	quotedLines,
	singleSigns,
	singleSpan,
	tag,
	utf8Bytes,
	withBackslashes,
	withEntities,
	withoutNames,
	withoutNamesIn,
} from './elements.ts';

/** HTML for `parse_mode: HTML`; plain texts are sent without it. The limit counts shown characters. @see core.telegram.org/bots/api#html-style */
export const telegram = rendererOf({
	...singleSigns,
	text: text => withEntities(withoutNames(text)),
	marks: {strong: tag('b'), em: tag('i'), strike: tag('s')},
	code: text => `<code>${withEntities(text)}</code>`,
	link: (words, href) => `<a href="${inAttribute(href)}">${words}</a>`,
	// Quotes cannot be nested.
	quote: blocks => `<blockquote>${blocks.replaceAll(/<\/?blockquote>/g, '')}</blockquote>`,
	codeBlock: (text, language) =>
		language === ''
			? `<pre>${withEntities(text)}</pre>`
			: `<pre><code class="language-${language}">${withEntities(text)}</code></pre>`,
	plain: withoutNames,
	measure: (text, format) =>
		format === 'plain'
			? text.length
			: text.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, '&').length,
});

/** mrkdwn. Escaping as entities disables special texts such as `<!channel>`. @see docs.slack.dev/messaging/formatting-message-text */
export const slack = rendererOf({
	...singleSigns,
	text: withEntities,
	code: text => singleSpan(withEntities(text)),
	link: (words, href) => `<${withEntities(href)}|${words}>`,
	codeBlock: text => brokenFenced(withEntities(text)),
	plain: withEntities,
});

export const whatsapp = rendererOf({...singleSigns, showsTargets: true, plain: text => text});

/** Three levels of headings, and a link in angle brackets has no preview. `allowed_mentions` switches mentions off. */
export const discord = rendererOf({
	...commonMark,
	link: (words, href) => (words === href ? `<${href}>` : `[${words}](<${href}>)`),
	heading: (line, level) => headingOf(line, Math.min(level, 3)),
	codeBlock: brokenFenced,
});

/** The limit is in code points. */
export const mattermost = rendererOf({
	...commonMark,
	text: text => withBackslashes(withoutNames(text)),
	link: (words, href) => `[${words}](${withoutNamesIn(href)})`,
	table: markdownTable,
	measure: codePoints,
});

/** For platforms that may not recognise code within lists and quotes: names are neutralised there too. */
const withoutInnerNames = {
	list: (items, ...how) =>
		markdownList(
			items.map(item => item.map(({type, text}) => ({type, text: withoutNames(text)}))),
			...how,
		),
	quote: blocks => quotedLines(withoutNames(blocks)),
} as const satisfies Partial<Dialect>;

const asEntity = (sign: string): string => `&#${sign.codePointAt(0)};`;

/** Languages of code blocks that Zulip renders as Markdown or mathematics. */
const otherBlocks = /^(?:quote|quoted|spoiler|math|tex|latex)$/i;

/** The limit is in code points. Zulip's Markdown supports entities but no backslash escapes. @see zulip/zulip zerver/lib/markdown, build_inlinepatterns */
export const zulip = rendererOf({
	...commonMark,
	...withoutInnerNames,
	text: text =>
		withoutNames(text)
			.replaceAll('$$', '$\u200b$')
			.replaceAll(markdownSigns, found => (found.startsWith('http') ? found : asEntity(found))),
	link: (words, href) => `[${words}](${withoutNamesIn(href)})`,
	paragraph: lineWith(asEntity),
	codeBlock: (text, language) => fenced(text, otherBlocks.test(language) ? '' : language),
	table: markdownTable,
	measure: codePoints,
});

/**
 * A backslash escapes some signs; others are broken by a zero-width space: backslashes themselves, brackets, quotes and lists.
 *
 * @see RocketChat/Rocket.Chat packages/message-parser/tests/escaped.test.ts
 */
export const rocketchat = rendererOf({
	...commonMark,
	...withoutInnerNames,
	text: text =>
		withoutNames(text)
			.replaceAll(/[\\\]]|!$/g, '$&\u200b')
			.replaceAll(/https?:\/\/[^\s*`~]+|[*_~`]/g, found =>
				found.startsWith('http') ? found : `\\${found}`,
			),
	marks: singleSigns.marks,
	code: singleSpan,
	link: (words, href) => `[${words}](${withoutNamesIn(href)})`,
	paragraph: lineWith(sign => (/[#.]/.test(sign) ? `\\${sign}` : `\u200b${sign}`)),
	heading: 'strong',
	codeBlock: brokenFenced,
});

/** For `MARKUP_SYNTAX_MARKDOWN`. The limit is in bytes. */
export const googlechat = rendererOf({
	...commonMark,
	text: text => withBackslashes(text.replaceAll('<', '‹')),
	code: text => codeSpan(text.replaceAll('<users/', '‹users/')),
	codeBlock: (text, language) => fenced(text.replaceAll('<users/', '‹users/'), language),
	measure: utf8Bytes,
});

const withoutAt = (text: string): string => text.replaceAll(/<(?=\/?at\b)/gi, '‹');

/** For `{tag: 'md'}` of a post. The limit is the size of the body, bytes, which its sender measures. */
export const feishu = rendererOf({
	...commonMark,
	text: text => withBackslashes(text).replaceAll('\\<', '&lt;'),
	code: text => codeSpan(withoutAt(text)),
	codeBlock: (text, language) => fenced(withoutAt(text), language),
	measure: utf8Bytes,
});

/** `markdown_v2`, which has no mentions. The limit is in bytes. */
export const wecom = rendererOf({
	...commonMark,
	marks: {strong: commonMark.marks.strong, em: commonMark.marks.em},
	table: markdownTable,
	measure: utf8Bytes,
});

/** Markdown without code, tables and strikethrough. The limit is the size of the body, bytes, which its sender measures. */
export const dingtalk = rendererOf({
	...commonMark,
	// A single line break would be folded.
	lineBreak: '  \n',
	marks: {strong: commonMark.marks.strong, em: commonMark.marks.em},
	code: withBackslashes,
	codeBlock: text =>
		quotedLines(commonMark.paragraph(withBackslashes(text)).replaceAll('\n', '  \n')),
	table: 'lines',
	measure: utf8Bytes,
});

/**
 * Escapes Signal's marks with backslashes, as needed even in code. A zero-width space separates a backslash or an asterisk from what follows: a backslash itself cannot be
 * escaped.
 */
const withoutStyles = (text: string): string =>
	text.replaceAll(/[*~`|]/g, '\\$&').replace(/[\\*](?=\s*$)/, '$&\u200b');

const styledCode = (text: string): string => `\`${withoutStyles(text)}\``;

/** `text_mode: styled`, in which marks cannot be nested; plain texts are sent without it. The limit is in bytes. @see bbernhard/signal-cli-rest-api src/utils/textstyleparser.go */
export const signal = rendererOf({
	...singleSigns,
	text: withoutStyles,
	marks: {
		strong: pair('**', 'apart'),
		em: pair('*', 'apart'),
		strike: pair('~', 'anywhere'),
	},
	nestsMarks: false,
	code: styledCode,
	codeBlock: text => text.replaceAll(/^.*\S.*$/gm, styledCode),
	table: 'lines',
	showsTargets: true,
	plain: text => text,
	measure: utf8Bytes,
});

/** Text without markup: SMS, mail. */
export const plainText: Renderer = rendererOf({
	...singleSigns,
	marks: {},
	code: text => text,
	heading: 'plain',
	list: bullets('- '),
	codeBlock: text => text,
	table: 'lines',
	rule: '---',
	showsTargets: true,
	plain: text => text,
});
