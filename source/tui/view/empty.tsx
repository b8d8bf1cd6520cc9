import {emptyLines, filteredLines} from '../lines/empty.ts';
import type {AnyList} from '../state/list.ts';
import {LineBlock, type RegionProps} from './line-block.tsx';
import {useStore, useShell} from './shell-context.ts';

/** The open pane's message when it is empty. */
export function Empty({width, height}: RegionProps) {
	const shell = useShell();
	const state = useStore(shell.feed, snapshot => snapshot.state);
	const rows = emptyLines(shell.pane().empty(state), width);
	return <LineBlock rows={rows} top={0} width={width} height={height} />;
}

/** The message of a list without visible items: if it has items, the filter excludes them, or the search still runs. */
export function EmptyList({list, width, height}: RegionProps & {readonly list: AnyList}) {
	const {total} = useStore(list, view => view);
	return total > 0 ? (
		<LineBlock rows={filteredLines(list, width)} top={0} width={width} height={height} />
	) : (
		<Empty width={width} height={height} />
	);
}
