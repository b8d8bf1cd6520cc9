import {
	escaped,
	fenceFor,
	inline,
	inlineOf,
	isLeftOut,
	rawText,
	type PageReading,
} from './inline.ts';
import {blocks, type Element, elementsOf} from './parse-html.ts';
import {isGrid, table} from './table.ts';

/** How many levels of nested lists and quotations are indented; deeper ones are not indented further. */
const maxLevels = 12;

const quotation = '> ';

type Level = {readonly marker: string; readonly indent: string; isBegun: boolean};

/**
 * An element as Markdown: headings, lists, quotations, code, tables and links, images by their alternative text, without hidden elements. Links are absolute; links to
 * schemes other than `http`, `https` and `mailto`, and within the page, are reduced to their text. Time is linear in the page.
 */
export function toMarkdown(element: Element, reading: PageReading): string {
	const levels: Level[] = [];
	const parts: string[] = [];
	let length = 0;
	let line = '';
	/** Between items there are no blank lines, unlike between blocks. */
	let isTight = false;

	const write = (text: string) => {
		const firsts = levels.map(({marker, indent, isBegun}) => (isBegun ? indent : marker)).join('');
		const rests = levels.map(({indent}) => indent).join('');
		const beginsItem = levels.some(({isBegun}) => !isBegun);
		const outer = levels
			.filter(({isBegun}) => isBegun)
			.map(({indent}) => indent)
			.join('');
		for (const level of levels) {
			level.isBegun = true;
		}

		const whole = text
			.split('\n')
			.map((each, index) => (index === 0 ? firsts + each : (rests + each).trimEnd()))
			.join('\n');
		const between = isTight && beginsItem ? '\n' : `\n${outer.trimEnd()}\n`;
		parts.push(parts.length === 0 ? '' : between, whole);
		length += whole.length + 2;
	};

	const flush = () => {
		const text = line
			.replaceAll(/ {2,}/g, ' ')
			.replaceAll(/ ?\n ?/g, '\n')
			.trim();
		line = '';
		if (text !== '') {
			write(startsBlock.test(text) ? text.replace(startsBlock, String.raw`$1\$2`) : text);
		}
	};

	const within = (level: Omit<Level, 'isBegun'>, task: () => void) => {
		flush();
		const isIndented = levels.length < maxLevels;
		if (isIndented) {
			levels.push({...level, isBegun: false});
		}

		task();
		flush();
		if (isIndented) {
			levels.pop();
		}
	};

	const visitAll = (parent: Element) => {
		for (const child of parent.children) {
			if (length + line.length > reading.maxLength) {
				return;
			}

			visitOne(child);
		}
	};

	const visitOne = (child: Element | string) => {
		if (typeof child === 'string') {
			line += line.length > reading.maxLength ? '' : escaped(child, reading);
		} else if (!isLeftOut(child, reading)) {
			visit(child);
		}
	};

	const list = (parent: Element) => {
		let number = Math.trunc(Number(parent.attributes.get('start') ?? 1)) || 1;
		flush();
		const before = isTight;
		isTight = levels.at(-1)?.isBegun === true && levels.at(-1)?.marker !== quotation;
		for (const child of parent.children) {
			if (typeof child === 'string' || child.name !== 'li') {
				visitOne(child);
			} else if (!isLeftOut(child, reading)) {
				const marker = parent.name === 'ol' ? `${number}. ` : '- ';
				within({marker, indent: ' '.repeat(marker.length)}, () => visitAll(child));
				number += 1;
				isTight = true;
			}
		}

		flush();
		isTight = before;
	};

	const visit = (one: Element): void => {
		const {name} = one;
		const heading = /^h([1-6])$/.exec(name);
		if (heading) {
			flush();
			const text = inline(one, reading).replaceAll(/\s+/g, ' ').trim();
			if (text !== '') {
				write(`${'#'.repeat(Number(heading[1]))} ${text}`);
			}
		} else if (name === 'ul' || name === 'ol' || name === 'menu') {
			list(one);
		} else if (name === 'blockquote') {
			within({marker: quotation, indent: quotation}, () => visitAll(one));
		} else if (name === 'pre') {
			flush();
			const text = rawText(one).slice(0, reading.maxLength).replace(/^\n+/, '').trimEnd();
			if (text !== '') {
				const fence = fenceFor(text, 3);
				write(`${fence}${languageOf(one)}\n${text}\n${fence}`);
			}
		} else if (name === 'hr') {
			flush();
			write('---');
		} else if (name === 'table' && isGrid(one, reading)) {
			flush();
			const text = table(one, reading);
			if (text !== '') {
				write(text);
			}
		} else if (blocks.has(name)) {
			flush();
			visitAll(one);
			flush();
		} else if (reading.measureOf(one).hasBlocks) {
			visitAll(one);
		} else {
			line += inlineOf(one, reading);
		}
	};

	visit(element);
	flush();
	return parts.join('');
}

/** Text that Markdown would parse as a heading, a list item or a quotation. */
const startsBlock = /^()([#>+-]|={3})(?=\s|$|=|-)/;

function languageOf(pre: Element): string {
	const code = elementsOf(pre).find(({name}) => name === 'code');
	const classes = [pre, code].map(each => each?.attributes.get('class') ?? '').join(' ');
	return /(?:^|[\s-])(?:language|lang|source)-([\w+#-]{1,30})/.exec(classes)?.[1] ?? '';
}
