import {holds} from '../panes/detail.ts';
import {line} from '../panes/line.ts';
import {useStore} from '../state/use-store.ts';
import {own} from '../text/safe.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './pane-list.tsx';
import {useShell} from './shell-context.ts';
import {usePane} from './use-pane.ts';

const nothing = [line(own('Nothing is selected'), 'quiet')];

/** What belongs to the selected item. Loads lazily: only for what is looked at. */
export function PaneDetail({width, height}: RegionProps) {
	const shell = useShell();
	const {pane, view} = usePane();
	const {detailTop, search} = view;
	useStore(shell.details.delivery, loaded => loaded);
	useStore(shell.details.run, loaded => loaded);
	const rows = shell.detail.lines();
	const wanted = search.toLowerCase();
	const marked =
		wanted === ''
			? rows
			: rows.map(row =>
					holds(row, wanted) ? row.map(span => ({...span, tone: 'accent' as const})) : row,
				);

	return (
		<LineBlock
			key={pane.id}
			rows={marked.length === 0 ? nothing : marked}
			top={detailTop}
			width={width}
			height={height}
		/>
	);
}
