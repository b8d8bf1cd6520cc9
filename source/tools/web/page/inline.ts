import {isHidden, isSurrounding, type Measured} from './find-article.ts';
import {blocks, type Element} from './parse-html.ts';

const maxLinkLength = 2000;

export type PageReading = Measured & {
	/** The base of relative links. */
	readonly base: string;
	/** Output ends after this many UTF-16 units. */
	readonly maxLength: number;
	/** Whether an article's surroundings are left out. */
	readonly isArticle: boolean;
};

const special = /[*`[\]\\]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|<(?=[A-Za-z/!?])/g;

/** Escapes a page's text for Markdown. */
export const escaped = (text: string, {maxLength}: PageReading): string =>
	text
		.slice(0, maxLength)
		.replaceAll(/[\s\u00a0]+/g, ' ')
		.replaceAll(special, String.raw`\$&`);

/** Whether an element is left out. */
export const isLeftOut = (element: Element, {isArticle}: PageReading): boolean =>
	isHidden(element) || (isArticle && isSurrounding(element));

/**
 * An element's text in one line; `
 * ` at the page's line breaks.
 */
export function inline(element: Element, reading: PageReading): string {
	let text = '';
	for (const child of element.children) {
		if (text.length > reading.maxLength) {
			break;
		}

		if (typeof child === 'string') {
			text += escaped(child, reading);
		} else if (!isLeftOut(child, reading)) {
			text += blocks.has(child.name) ? ` ${inlineOf(child, reading)} ` : inlineOf(child, reading);
		}
	}

	return text;
}

const marks: Readonly<Record<string, string>> = {
	strong: '**',
	b: '**',
	em: '*',
	i: '*',
	del: '~~',
	s: '~~',
	strike: '~~',
};

/** An element within a line. */
export function inlineOf(element: Element, reading: PageReading): string {
	const {name, attributes} = element;
	switch (name) {
		case 'br':
			return '\n';

		case 'img':
			return escaped(attributes.get('alt') ?? '', reading);

		case 'code':
		case 'kbd':
		case 'samp':
		case 'tt': {
			const text = rawText(element).slice(0, reading.maxLength).replaceAll(/\s+/g, ' ');
			const fence = fenceFor(text, 1);
			const pad = /^`|`$/.test(text) ? ' ' : '';
			return text.trim() === '' ? text : fence + pad + text + pad + fence;
		}

		case 'a': {
			const text = inline(element, reading);
			const target = text.trim() === '' ? undefined : targetOf(attributes.get('href'), reading);
			return target === undefined ? text : around(text.replaceAll('\n', ' '), '[', `](${target})`);
		}

		case 'q':
			return `“${inline(element, reading)}”`;

		default: {
			const text = inline(element, reading);
			const mark = marks[name];
			return mark === undefined ? text : around(text, mark, mark);
		}
	}
}

/** Puts marks next to letters: surrounding blanks stay outside. */
function around(text: string, before: string, after: string): string {
	const trimmed = text.trim();
	if (trimmed === '') {
		return text;
	}

	const start = text.startsWith(trimmed.charAt(0)) ? '' : ' ';
	const end = text.endsWith(trimmed.charAt(trimmed.length - 1)) ? '' : ' ';
	return start + before + trimmed + after + end;
}

function targetOf(href: string | undefined, {base}: PageReading): string | undefined {
	const url = href === undefined || href.startsWith('#') ? null : URL.parse(href, base);
	if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) {
		return undefined;
	}

	const text = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
	return text.length > maxLinkLength ? undefined : text;
}

/** All text of an element as written in the page. */
export function rawText(element: Element): string {
	let text = '';
	for (const child of element.children) {
		if (typeof child === 'string') {
			text += child;
		} else if (child.name === 'br') {
			text += '\n';
		} else if (!isHidden(child)) {
			text += rawText(child);
		}
	}

	return text;
}

/** A fence longer than every run of backticks in `text`. */
export function fenceFor(text: string, least: number): string {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) {
		longest = Math.max(longest, run.length);
	}

	return '`'.repeat(Math.max(least, longest + 1));
}
