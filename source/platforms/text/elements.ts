import type {Dialect, Item} from './dialect.ts';
import type {Mark} from './inline.ts';

/** Size in UTF-8, bytes. */
export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

const utf16Units = (text: string): number => text.length;

/** Length in code points. */
export const codePoints = (text: string): number =>
	text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** Looks like `@`, and mentions nobody. */
const harmlessAt = '＠';

/**
 * Replaces each `@` that could begin a name; only those within addresses (`ops@example.com`) are kept. An `@` at either end is replaced, since the neighbouring runs are
 * unknown here.
 *
 * @see manual/delivery.md#mentions
 */
export const withoutNames = (text: string): string =>
	text.replaceAll(/(?<![A-Za-z0-9])@|@(?![A-Za-z0-9])/g, harmlessAt);

/** The same for the URL of a link, whose meaning is kept. */
export const withoutNamesIn = (href: string): string =>
	href.replaceAll(/(?<![A-Za-z0-9])@/g, '%40');

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
};

export const withEntities = (text: string): string =>
	text.replaceAll(/[&<>]/g, sign => entities[sign] ?? '');

export const inAttribute = (text: string): string =>
	text.replaceAll(/[&<>"]/g, sign => entities[sign] ?? '');

export const pair = (sign: string, where: Mark['where']): Mark => ({
	open: sign,
	close: sign,
	where,
});

export const tag = (name: string): Mark => ({
	open: `<${name}>`,
	close: `</${name}>`,
	where: 'anywhere',
});

/** Puts `first` before a text, and `others` before its other lines, except empty ones. */
const hung = (text: string, first: string, others: string): string =>
	first + text.replaceAll(/\n(?!\n|$)/g, `\n${others}`);

export const quotedLines = (text: string): string => text.replaceAll(/^/gm, '> ');

/** Lists for a platform without them. Blocks with a format of their own are not indented. */
export const bullets =
	(bullet: string): Dialect['list'] =>
	(items, start) =>
		items
			.map((item, index) => {
				const mark = start === undefined ? bullet : `${start + index}. `;
				const pad = ' '.repeat(mark.length);
				return (
					item
						.map(({type, text}, place) => {
							const isHung = type === 'paragraph' || type === 'heading' || type === 'list';
							const first = place === 0 ? mark : pad;
							return isHung ? hung(text, first, pad) : `${place === 0 ? `${mark}\n` : ''}${text}`;
						})
						.join('\n') || mark.trimEnd()
				);
			})
			.join('\n');

/** Markdown lists. A list that follows another of its kind has another bullet. */
export const markdownList: Dialect['list'] = (items, start, isSecond) =>
	items
		.map((item, index) => {
			const mark =
				start === undefined ? (isSecond ? '* ' : '- ') : `${start + index}${isSecond ? ')' : '.'} `;
			return hung(itemText(item), mark, ' '.repeat(mark.length)).trimEnd();
		})
		.join('\n');

const itemText = (item: Item): string =>
	item
		.map(({type, text}, index) => {
			// A list may follow its paragraph without an empty line only if it begins with a bullet or the number 1, and its first item is not empty: otherwise Markdown takes it for a
			// part of the paragraph.
			const isTight =
				type === 'list' && item[index - 1]?.type === 'paragraph' && /^(?:[-*]|1[.)]) \S/.test(text);
			// `- ---` would be a rule.
			const written = index === 0 && type === 'rule' ? '***' : text;
			return `${index === 0 ? '' : isTight ? '\n' : '\n\n'}${written}`;
		})
		.join('');

/** Replaces backticks where code has no escape. */
const unlikeBacktick = '｀';

export const fenced = (text: string, language = ''): string => {
	const longest = (text.match(/`{3,}/g) ?? []).reduce(
		(most, {length}) => Math.max(most, length),
		2,
	);
	const fence = '`'.repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
};

/** For platforms without longer fences: three backticks in the code are taken apart. */
export const brokenFenced = (text: string, language = ''): string =>
	`\`\`\`${language}\n${text.replaceAll(/`(?=``)/g, '`\u200b')}\n\`\`\``;

/** Inline code with as many backticks as delimiters as it needs. */
export function codeSpan(text: string): string {
	const runs = new Set((text.match(/`+/g) ?? []).map(({length}) => length));
	let length = 1;
	while (runs.has(length)) {
		length += 1;
	}

	const fence = '`'.repeat(length);
	const pad = /^`|`$|^ .* $/s.test(text) && text.trim() !== '' ? ' ' : '';
	return fence + pad + text + pad + fence;
}

export const singleSpan = (text: string): string => `\`${text.replaceAll('`', unlikeBacktick)}\``;

/** Signs that are markup anywhere in a line, and `!` at the end, which would make an image of the link after it. Also matches bare URLs, which are kept unchanged. */
export const markdownSigns =
	/https?:\/\/(?:(?!&#?\w{1,40};)[^\s<>*`[\]|\\~])+|[\\`*~[\]<|]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_|&(?=#?\w{1,40};)|!$/gu;

/** Signs that are markup at the beginning of a line: the first group stays. */
const lineSigns = /^(\d{1,9}(?=[.)])|)(?:[.)]|[-+](?=[\s:-]|$)|[=#>]|:(?=-))/gm;

export const withBackslashes = (text: string): string =>
	text.replaceAll(markdownSigns, found => (found.startsWith('http') ? found : `\\${found}`));

export const lineWith =
	(escape: (sign: string) => string) =>
	(lines: string): string =>
		lines
			.replaceAll(/^[ \t]+/gm, blanks => '\u00a0'.repeat(blanks.length))
			.replaceAll(lineSigns, (found, digits: string) =>
				digits === '' && /^[.)]/.test(found) ? found : digits + escape(found.slice(digits.length)),
			);

/** A `#` at the end of a line would be removed together with those at its beginning. */
export const headingOf = (line: string, level: number): string =>
	`${'#'.repeat(level)} ${line.replace(/#$/, '#\u200b')}`;

/** Rows are split into cells before code is recognised, so pipes are always escaped. */
export const markdownTable = (rows: ReadonlyArray<readonly string[]>): string => {
	const [head = '', ...others] = rows.map(
		row => `| ${row.map(cell => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`,
	);
	return [head, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...others].join('\n');
};

/** Markdown in which a backslash escapes signs. */
export const commonMark = {
	text: withBackslashes,
	marks: {
		strong: pair('**', 'apart'),
		em: pair('*', 'apart'),
		strike: pair('~~', 'apart'),
	},
	code: codeSpan,
	link: (words, href) => `[${words}](${href})`,
	lineBreak: '\n',
	paragraph: lineWith(sign => `\\${sign}`),
	heading: headingOf,
	list: markdownList,
	quote: quotedLines,
	codeBlock: fenced,
	table: 'grid',
	rule: '---',
	between: '\n\n',
	measure: utf16Units,
} as const satisfies Dialect;

/** Single-character marks, for platforms without headings, lists and tables. */
export const singleSigns = {
	text: text => text,
	marks: {strong: pair('*', 'alone'), em: pair('_', 'alone'), strike: pair('~', 'alone')},
	code: singleSpan,
	link: (words, href) => (words === href ? href : `${words} (${href})`),
	lineBreak: '\n',
	heading: 'strong',
	list: bullets('• '),
	quote: quotedLines,
	codeBlock: text => brokenFenced(text),
	table: 'grid',
	rule: '———',
	between: '\n\n',
	measure: utf16Units,
} as const satisfies Dialect;
