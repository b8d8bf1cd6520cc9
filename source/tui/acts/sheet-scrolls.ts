import {literal} from '../../terminal/text/safe.ts';

/** How the rows of a sheet are scrolled: name, keys, what it does, and by how much. */
export const sheetScrolls = [
	['down', ['j', 'down'], literal('down'), 1],
	['up', ['k', 'up'], literal('up'), -1],
	['page-down', ['pgdn', 'ctrl+d'], literal('page down'), 'page'],
	['page-up', ['pgup', 'ctrl+u'], literal('page up'), '-page'],
	['first', ['g', 'home'], literal('first row'), -Infinity],
	['last', ['G', 'end'], literal('last row'), Infinity],
] as const;

export type SheetScroll = (typeof sheetScrolls)[number][3];

/** In rows, of a sheet that shows `height` of them. A page leaves one row of the last one, and never jumps over any. */
export function scrolledRows(scroll: SheetScroll, height: number): number {
	const page = Math.max(1, height - 1);
	return scroll === 'page' ? page : scroll === '-page' ? -page : scroll;
}
