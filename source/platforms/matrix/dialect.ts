import {type Dialect, type Renderer, rendererOf} from '../text/dialect.ts';
import {plainText} from '../text/dialects.ts';
import {inAttribute, tag, utf8Bytes, withEntities} from '../text/elements.ts';

/** The texts of a message: `body` for clients without HTML. @see Matrix client-server API, m.room.message */
export type MatrixText = {readonly body: string; readonly formatted_body?: string};

const list: Dialect['list'] = (items, start) => {
	const entries = items.map(item =>
		// Without paragraph tags, which would separate the items.
		item
			.map(({type, text}) =>
				type === 'paragraph' ? text.replace(/^<p>/, '').replace(/<\/p>$/, '<br>') : text,
			)
			.join('')
			.replace(/<br>(?=<[ou]l[ >]|$)/, ''),
	);
	const name = start === undefined ? 'ul' : 'ol';
	const from = start === undefined || start === 1 ? '' : ` start="${start}"`;
	return `<${name}${from}>${entries.map(entry => `<li>${entry}</li>`).join('')}</${name}>`;
};

const rowOf = (cells: readonly string[], name: string): string =>
	`<tr>${cells.map(cell => `<${name}>${cell}</${name}>`).join('')}</tr>`;

const html = rendererOf({
	text: withEntities,
	marks: {strong: tag('strong'), em: tag('em'), strike: tag('del')},
	code: text => `<code>${withEntities(text)}</code>`,
	link: (words, href) => `<a href="${inAttribute(href)}">${words}</a>`,
	lineBreak: '<br>',
	paragraph: lines => `<p>${lines}</p>`,
	heading: (line, level) => `<h${level}>${line}</h${level}>`,
	list,
	quote: blocks => `<blockquote>${blocks}</blockquote>`,
	codeBlock: (text, language) =>
		`<pre><code${language === '' ? '' : ` class="language-${language}"`}>${withEntities(text)}</code></pre>`,
	table: ([header = [], ...rows]) =>
		`<table><thead>${rowOf(header, 'th')}</thead><tbody>${rows.map(row => rowOf(row, 'td')).join('')}</tbody></table>`,
	rule: '<hr>',
	between: '',
	measure: utf8Bytes,
});

/** Both texts of a message, with tags that clients support. The message's empty `m.mentions` disables mentions. The limit is the size of both together as JSON, bytes. */
export const matrix: Renderer<MatrixText> = {
	prepare: html.prepare,
	render: blocks => ({body: plainText.render(blocks), formatted_body: html.render(blocks)}),
	plain: text => ({body: text}),
	measure: text => utf8Bytes(JSON.stringify(text)),
};
