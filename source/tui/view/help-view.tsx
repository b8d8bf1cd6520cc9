import {Box} from 'ink';
import {helpLines} from '../overlay/overlay-lines.ts';
import type {Line} from '../panes/line.ts';
import {line} from '../panes/line.ts';
import type {PaneId} from '../state/view.ts';
import {own} from '../text/safe.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './pane-list.tsx';

const twoColumnsFrom = 80;

const language: readonly Line[] = [
	line(own('Filter: route: status: event: id: ms> size> since: has:⚑  -not  "phrase"'), 'quiet'),
];

export type HelpViewProps = RegionProps & {
	readonly pane: PaneId;
	readonly query: string;
	readonly top: number;
};

/** The key table, in two columns where there is room. */
export function HelpView({pane, query, top, width, height}: HelpViewProps) {
	const rows = helpLines(pane, query);
	const shown = rows.length === 0 ? [line(own('No key fits the search.'), 'quiet')] : rows;
	const bodyHeight = height - language.length;
	const columns = width >= twoColumnsFrom ? 2 : 1;
	const cells = Math.floor(width / columns);
	const start = Math.max(0, Math.min(top, shown.length - bodyHeight * columns));
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<Box width={width} height={bodyHeight} flexShrink={0}>
				{Array.from({length: columns}, (_, column) => (
					<LineBlock
						// Columns have no identity but their place.
						// oxlint-disable-next-line react/no-array-index-key
						key={column}
						rows={shown.slice(start + column * bodyHeight, start + (column + 1) * bodyHeight)}
						top={0}
						width={cells}
						height={bodyHeight}
					/>
				))}
			</Box>
			<LineBlock rows={language} top={0} width={width} height={language.length} />
		</Box>
	);
}
