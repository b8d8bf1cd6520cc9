import {Box} from 'ink';
import {termWords} from '../../core/filter/filter.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {helpLines} from '../overlay/overlay-lines.ts';
import {clean, line, type Line} from '../panes/line.ts';
import type {Pane} from '../panes/pane.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';

const twoColumnsFrom = 80;

/** The words of the filters of a pane. */
function languageOf({sections}: Pane): readonly Line[] {
	const words = sections.flatMap(({listing}) => (listing ? termWords(listing.vocabulary) : []));
	return words.length === 0
		? []
		: [line(safe`Filter: ${clean(words.join(' · '))}  -not  "phrase"`, 'quiet')];
}

export type HelpViewProps = RegionProps & {
	readonly query: string;
	readonly top: number;
};

/** The key table, in two columns where there is room. */
export function HelpView({query, top, width, height}: HelpViewProps) {
	const pane = useShell().pane();
	const rows = helpLines(pane, query);
	const language = languageOf(pane);
	const shown = rows.length === 0 ? [line(literal('No key fits the search.'), 'quiet')] : rows;
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
