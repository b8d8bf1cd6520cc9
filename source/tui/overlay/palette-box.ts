import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {paletteEntries, type PaletteEntry} from '../commands/palette-entries.ts';
import {acts} from '../commands/table.ts';
import {blankLine, line, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import type {BoxContent} from './box-content.ts';

const widest = 96;
const highest = 24;

/** A field, and what fits it. Its size does not follow what is typed. */
export function paletteBox(
	shell: Shell,
	{query, index}: {readonly query: string; readonly index: number},
	room: {readonly width: number; readonly height: number},
): BoxContent {
	const width = Math.min(room.width, widest);
	const height = Math.max(0, Math.min(room.height, highest) - 1);
	const entries = paletteEntries(shell, acts, query);
	const top = Math.max(0, Math.min(index - Math.floor(height / 2), entries.length - height));
	const rows = Array.from({length: height}, (_, row) => {
		const entry = entries[top + row];
		return entry ? entryLine(entry, top + row === index, width - 1) : blankLine;
	});
	return {
		title: [[{text: literal('Palette'), tone: 'title'}]],
		rows: [blankLine, ...(entries.length === 0 ? [nothingFits, ...rows.slice(1)] : rows)],
		width,
		field: {
			value: query,
			note: safe`${entries.length} `,
			onChange(value) {
				shell.view.set(state => ({
					...state,
					overlay: {kind: 'palette', query: value, index: 0},
				}));
			},
		},
	};
}

const nothingFits: Line = line(literal('  Nothing fits.'), 'quiet');

const keyCells = 12;
const placeCells = 12;

function entryLine(
	{label, key, place, why, isForbidden}: PaletteEntry,
	isChosen: boolean,
	width: number,
): Line {
	const labelCells = Math.max(10, width - keyCells - placeCells - 3);
	const name = why === undefined ? label : safe`${label} · ${why}`;
	const tone = isChosen ? 'selected' : 'plain';
	return [
		{text: isChosen ? literal('> ') : literal('  '), tone: 'accent'},
		{text: fit(name, labelCells), tone: isForbidden ? 'off' : why === undefined ? tone : 'quiet'},
		{text: safe` ${fit(key, keyCells)}`, tone: 'accent'},
		{text: fit(why === undefined ? place : literal('disabled'), placeCells), tone: 'quiet'},
	];
}
