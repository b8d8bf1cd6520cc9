import {Box} from 'ink';
import {literal} from '../../terminal/text/safe.ts';
import {cursorIn} from '../lines/detail-cursor.ts';
import {rowHolds} from '../lines/detail.ts';
import {leftRow, line, type Line, type Span} from '../lines/line.ts';
import {LineBlock, type RegionProps} from './line-block.tsx';
import {useStore, useShell, useKeyboard, usePane} from './shell-context.ts';

const nothing = [line(literal('Nothing is selected'), 'quiet')];

const unchanged = (row: Line): Line => row;

const accented = (row: Line): Line => row.map(span => ({...span, tone: 'accent'}));

const cursor: Span = {text: literal('>'), tone: 'accent'};
const noCursor: Span = {text: literal(' ')};

/** A highlighted row, with the mark in the column reserved for it: visible also on blank rows, and on rows with their own tones. */
const chosenRow = (row: Line): Line => [
	cursor,
	...row.map(({text, tone = 'plain'}) => ({
		text,
		tone: tone === 'plain' ? ('selected' as const) : tone,
	})),
];

/** The selected item's detail; loads only while it is shown. */
export function PaneDetail({width, height}: RegionProps) {
	const shell = useShell();
	const {view} = usePane();
	const {region, search} = view;
	useStore(shell.loads, count => count);
	const rows = shell.detail.lines();
	const cursorRow = useKeyboard(shell, 'detail') ? unchanged : leftRow;
	const place = cursorIn(rows, view);
	const wanted = search.toLowerCase();
	const {mark} = shell.layout();
	const chosen = mark > 0 && region === 'detail' ? place.cursor : -1;
	const marked =
		wanted === '' && chosen === -1
			? rows
			: rows.map((row, index) => {
					const found = wanted !== '' && rowHolds(row, wanted) ? accented(row) : row;
					if (chosen === -1) {
						return found;
					}

					return index === chosen ? cursorRow(chosenRow(found)) : [noCursor, ...found];
				});

	// Once a row is selected, the rows contain the mark's column themselves.
	const before = chosen === -1 ? mark : 0;
	return (
		<Box paddingLeft={before} width={width} height={height} flexShrink={0}>
			<LineBlock
				key={view.pane}
				rows={marked.length === 0 ? nothing : marked}
				top={place.top}
				width={width - before}
				height={height}
			/>
		</Box>
	);
}
