import {isHidden, isSurrounding, type Measured} from './find-article.ts';
import {blocks, type Element} from './parse-html.ts';

const maxLinkLength = 2000;
const maxColumns = 100;

export type Reading = Measured & {
	/** What relative links are relative to. */
	readonly base: string;
	/** UTF-16 units after which nothing more is written. */
	readonly maxLength: number;
	/** Leaves out what stands around an article. */
	readonly isArticle: boolean;
};

const special = /[*`[\]\\]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|<(?=[A-Za-z/!?])/g;

/** A text of the page that Markdown takes for text. */
export const escaped = (text: string, {maxLength}: Reading): string =>
	text
		.slice(0, maxLength)
		.replaceAll(/[\s\u00a0]+/g, ' ')
		.replaceAll(special, String.raw`\$&`);

/** Whether nothing of an element is written. */
export const isLeftOut = (element: Element, {isArticle}: Reading): boolean =>
	isHidden(element) || (isArticle && isSurrounding(element));

/** The texts of an element in one line; `\n` where the page breaks it. */
export function inline(element: Element, reading: Reading): string {
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
export function inlineOf(element: Element, reading: Reading): string {
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

/** Marks stand next to letters: blanks stay outside. */
function around(text: string, before: string, after: string): string {
	const trimmed = text.trim();
	if (trimmed === '') {
		return text;
	}

	const start = text.startsWith(trimmed.charAt(0)) ? '' : ' ';
	const end = text.endsWith(trimmed.charAt(trimmed.length - 1)) ? '' : ' ';
	return start + before + trimmed + after + end;
}

function targetOf(href: string | undefined, {base}: Reading): string | undefined {
	const url = href === undefined || href.startsWith('#') ? null : URL.parse(href, base);
	if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) {
		return undefined;
	}

	const text = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
	return text.length > maxLinkLength ? undefined : text;
}

/** All text of an element as it is written in the page. */
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

/** Longer than every run of backticks in `text`. */
export function fenceFor(text: string, least: number): string {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) {
		longest = Math.max(longest, run.length);
	}

	return '`'.repeat(Math.max(least, longest + 1));
}

const rowGroups: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

function rowsOf(element: Element): ReadonlyArray<readonly Element[]> {
	return element.children.flatMap(child =>
		typeof child === 'string'
			? []
			: rowGroups.has(child.name)
				? rowsOf(child)
				: child.name === 'tr'
					? [cellsOf(child)]
					: [],
	);
}

const cellsOf = (row: Element): readonly Element[] =>
	row.children
		.filter(child => typeof child !== 'string')
		.filter(({name}) => name === 'td' || name === 'th')
		.slice(0, maxColumns);

/** Whether text stands beside the cells, which browsers move away. */
const hasStrayText = ({children}: Element): boolean =>
	children.some(child =>
		typeof child === 'string'
			? child.trim() !== ''
			: (rowGroups.has(child.name) || child.name === 'tr') && hasStrayText(child),
	);

/** Whether a table holds values, and does not lay out the page: two columns and no table in a cell, no long texts of several blocks. */
export function isGrid(element: Element, {measureOf}: Reading): boolean {
	const {hasTable, length} = measureOf(element);
	const rows = rowsOf(element);
	const count = rows.reduce((sum, row) => sum + row.length, 0);
	return (
		!hasTable &&
		!hasStrayText(element) &&
		rows.length > 0 &&
		count > rows.length &&
		length / count < 500
	);
}

/** A table as rows of cells; the first row is its head. */
export function table(element: Element, reading: Reading): string {
	const rows = rowsOf(element);
	const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
	const lines: string[] = [];
	let length = 0;
	for (const row of rows) {
		const texts = row.map(cell =>
			inline(cell, reading)
				.replaceAll(/\s+/g, ' ')
				.trim()
				.replaceAll('|', String.raw`\|`),
		);
		if (lines.length === 0) {
			const padding = Array<string>(columns - texts.length).fill('');
			lines.push(`| ${[...texts, ...padding].join(' | ')} |`, `|${' --- |'.repeat(columns)}`);
		} else {
			lines.push(`| ${texts.join(' | ')} |`);
		}

		length += lines.at(-1)?.length ?? 0;
		if (length > reading.maxLength) {
			break;
		}
	}

	const caption = element.children.find(
		child => typeof child !== 'string' && child.name === 'caption',
	);
	const about = typeof caption === 'object' ? inline(caption, reading).trim() : '';
	return about === '' ? lines.join('\n') : `${about.replaceAll('\n', ' ')}\n\n${lines.join('\n')}`;
}
