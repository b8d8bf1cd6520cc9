import type {Safe} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type IdAndKeys, type ListedCommand} from '../acts/command.ts';
import {close, closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {blankLine, line, type Line} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {titled} from './box.ts';
import {paletteEntries, type PaletteEntry} from './palette-entries.ts';
import {cycle} from './questions.ts';

const widest = 96;
const highest = 24;

export const palette = dialogState<{readonly query: string; readonly index: number}>('palette');

const entriesNow = (shell: Shell): readonly PaletteEntry[] =>
	paletteEntries(shell, shell.keys.acts, palette.now(shell)?.query ?? '');

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

const moving = (keys: IdAndKeys, label: Safe, step: 1 | -1): ListedCommand =>
	onKeys(keys, label, {
		run: shell =>
			palette.change(shell, now => ({
				...now,
				index: cycle(now.index + step, entriesNow(shell).length),
			})),
	});

export const paletteDialog = defineDialog(palette, {
	title: 'Palette',
	/** A field and the entries that match it. The box keeps its size while typing. */
	contents({query, index}, shell, room) {
		const width = Math.min(room.width, widest);
		const height = Math.max(0, Math.min(room.height, highest) - 1);
		const entries = entriesNow(shell);
		const top = Math.max(0, Math.min(index - Math.floor(height / 2), entries.length - height));
		const rows = Array.from({length: height}, (_, row) => {
			const entry = entries[top + row];
			return entry ? entryLine(entry, top + row === index, width - 1) : blankLine;
		});
		return {
			title: titled(literal('Palette')),
			rows: [blankLine, ...(entries.length === 0 ? [nothingFits, ...rows.slice(1)] : rows)],
			width,
			field: {
				value: query,
				note: safe`${entries.length} `,
				onChange: value => palette.open(shell, {query: value, index: 0}),
			},
		};
	},
	takesText: () => true,
	commands: [
		onKeys(['palette.run', 'enter'], literal('run'), {
			run(shell) {
				const entry = entriesNow(shell)[palette.now(shell)?.index ?? 0];
				close(shell);
				entry?.run();
			},
		}),
		moving(['palette.down', 'ctrl+n', 'down', 'tab'], literal('down'), 1),
		moving(['palette.up', 'ctrl+p', 'up', 'shift+tab'], literal('up'), -1),
		closing('palette', ['esc', 'ctrl+c', 'ctrl+k']),
	],
});
