import {Box} from 'ink';
import {fit} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {acts} from '../commands/table.ts';
import {paletteEntries, type PaletteEntry} from '../overlay/palette-entries.ts';
import {line, type Line} from '../panes/line.ts';
import {useStore} from '../state/use-store.ts';
import {FieldRow} from './field-row.tsx';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';

export type PaletteViewProps = RegionProps & {readonly query: string; readonly index: number};

/** A field, and what fits it. */
export function PaletteView({query, index, width, height}: PaletteViewProps) {
	const shell = useShell();
	useStore(shell.feed, snapshot => snapshot.state);
	const entries = paletteEntries(shell, acts, query);
	const rows = entries.map((entry, at) => paletteRow(entry, at === index, width));
	const listHeight = height - 1;
	const top = Math.max(0, Math.min(index - Math.floor(listHeight / 2), rows.length - listHeight));
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<FieldRow
				label={literal('> ')}
				value={query}
				width={width}
				note={safe`${entries.length}`}
				onChange={value => {
					shell.view.set(state => ({
						...state,
						overlay: {kind: 'palette', query: value, index: 0},
					}));
				}}
			/>
			<LineBlock
				rows={rows.length === 0 ? [line(literal('  Nothing fits.'), 'quiet')] : rows}
				top={top}
				width={width}
				height={listHeight}
			/>
		</Box>
	);
}

const keyCells = 12;
const placeCells = 12;

function paletteRow(
	{label, key, place, why}: PaletteEntry,
	isChosen: boolean,
	width: number,
): Line {
	const labelCells = Math.max(10, width - keyCells - placeCells - 4);
	const name = why === undefined ? label : safe`${label} · ${why}`;
	const tone = isChosen ? 'selected' : 'plain';
	return [
		{text: isChosen ? literal('> ') : literal('  '), tone: 'accent'},
		{text: fit(name, labelCells), tone: why === undefined ? tone : 'quiet'},
		{text: safe` ${fit(key, keyCells)}`, tone: 'accent'},
		{text: fit(why === undefined ? place : literal('disabled'), placeCells), tone: 'quiet'},
	];
}
