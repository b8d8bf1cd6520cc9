import {literal} from '../../terminal/text/safe.ts';
import {placeIn} from '../lines/detail-cursor.ts';
import {rowHolds} from '../lines/detail.ts';
import {clean, leftRow, line, type Line} from '../lines/line.ts';
import {useStore} from '../state/use-store.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';
import {useKeyboard} from './use-keyboard.ts';
import {usePane} from './use-pane.ts';

const nothing = [line(literal('Nothing is selected'), 'quiet')];

const unchanged = (row: Line): Line => row;

const accented = (row: Line): Line => row.map(span => ({...span, tone: 'accent'}));

/** With `>` in column 0 where the row leaves that blank, and standing out in any case. */
function chosenRow(row: Line): Line {
	const [first, ...rest] = row.map(({text, tone = 'plain'}) => ({
		text,
		tone: tone === 'plain' ? ('selected' as const) : tone,
	}));
	return first?.text.startsWith(' ')
		? [{text: literal('>'), tone: 'accent'}, {...first, text: clean(first.text.slice(1))}, ...rest]
		: [...(first ? [first] : []), ...rest];
}

/** What belongs to the selected item. Loads lazily: only for what is looked at. */
export function PaneDetail({width, height}: RegionProps) {
	const shell = useShell();
	const {view} = usePane();
	const {region, search} = view;
	useStore(shell.loads, count => count);
	const rows = shell.detail.lines();
	const cursorRow = useKeyboard(shell, 'detail') ? unchanged : leftRow;
	const {cursor, top} = placeIn(rows, view);
	const wanted = search.toLowerCase();
	const chosen = shell.section().listing?.hasCursor === true && region === 'detail' ? cursor : -1;
	const marked =
		wanted === '' && chosen === -1
			? rows
			: rows.map((row, index) => {
					const found = wanted !== '' && rowHolds(row, wanted) ? accented(row) : row;
					return index === chosen ? cursorRow(chosenRow(found)) : found;
				});

	return (
		<LineBlock
			key={view.pane}
			rows={marked.length === 0 ? nothing : marked}
			top={top}
			width={width}
			height={height}
		/>
	);
}
