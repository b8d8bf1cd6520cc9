import {Box} from 'ink';
import type {Safe} from '../../core/untrusted.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import {helpLines} from '../overlay/overlay-lines.ts';
import type {Line} from '../panes/line.ts';
import {line} from '../panes/line.ts';
import type {PaneId} from '../state/view.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './pane-list.tsx';

const twoColumnsFrom = 80;

/** The words of the filter of each list. */
const words: Readonly<Partial<Record<PaneId, Safe>>> = {
	traffic: own('route: status: event: id: ms> size> since: has:⚑'),
	groups: own('route: key: state: event: count> since: · name: state:'),
	tools: own('server: state: transport: trust: tool: profile: tools>'),
	approvals: own('kind: server: tool: outcome: route: run: since:'),
	subs: own('route: source: deliver: mode: profile: job: key:'),
	runs: own('route: state: event: target: job: group: id: since:'),
	logs: own('level: source: since:'),
};

const languageOf = (pane: PaneId): readonly Line[] => {
	const known = words[pane];
	return known === undefined ? [] : [line(ui`Filter: ${known}  -not  "phrase"`, 'quiet')];
};

export type HelpViewProps = RegionProps & {
	readonly pane: PaneId;
	readonly query: string;
	readonly top: number;
};

/** The key table, in two columns where there is room. */
export function HelpView({pane, query, top, width, height}: HelpViewProps) {
	const rows = helpLines(pane, query);
	const language = languageOf(pane);
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
