import {emptyLines, filteredLines} from '../lines/empty.ts';
import type {AnyList} from '../state/list.ts';
import {LineBlock, type RegionProps} from './line-block.tsx';
import {useStore, useShell} from './shell-context.ts';

/** What the open pane says when it has nothing. */
export function Empty({width, height}: RegionProps) {
	const shell = useShell();
	const state = useStore(shell.feed, snapshot => snapshot.state);
	const rows = emptyLines(shell.pane().empty(state), width);
	return <LineBlock rows={rows} top={0} width={width} height={height} />;
}

/** The same of a list that shows nothing: where it has something, the filter keeps it out, or it is not found yet. */
export function EmptyList({list, width, height}: RegionProps & {readonly list: AnyList}) {
	const {total} = useStore(list, view => view);
	return total > 0 ? (
		<LineBlock rows={filteredLines(list, width)} top={0} width={width} height={height} />
	) : (
		<Empty width={width} height={height} />
	);
}
