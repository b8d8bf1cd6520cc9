import {inline, type PageReading} from './inline.ts';
import {type Element, elementsOf, setOf} from './parse-html.ts';

const maxColumns = 100;

const rowGroups = setOf('thead tbody tfoot');

const rowsOf = (element: Element): ReadonlyArray<readonly Element[]> =>
	elementsOf(element).flatMap(child =>
		rowGroups.has(child.name) ? rowsOf(child) : child.name === 'tr' ? [cellsOf(child)] : [],
	);

const cellsOf = (row: Element): readonly Element[] =>
	elementsOf(row)
		.filter(({name}) => name === 'td' || name === 'th')
		.slice(0, maxColumns);

/** Whether there is text outside of cells, which browsers move out of the table. */
const hasStrayText = ({children}: Element): boolean =>
	children.some(child =>
		typeof child === 'string'
			? child.trim() !== ''
			: (rowGroups.has(child.name) || child.name === 'tr') && hasStrayText(child),
	);

/** Whether a table contains data rather than layout: two columns, no nested tables, no long texts of several blocks. */
export function isGrid(element: Element, {measureOf}: PageReading): boolean {
	const {hasTable, length} = measureOf(element);
	const rows = rowsOf(element);
	const count = rows.flat().length;
	return (
		!hasTable &&
		!hasStrayText(element) &&
		rows.length > 0 &&
		count > rows.length &&
		length / count < 500
	);
}

/** A table in Markdown; the first row becomes its header. */
export function table(element: Element, reading: PageReading): string {
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

	const caption = elementsOf(element).find(({name}) => name === 'caption');
	const about = caption ? inline(caption, reading).trim() : '';
	return about === '' ? lines.join('\n') : `${about.replaceAll('\n', ' ')}\n\n${lines.join('\n')}`;
}
