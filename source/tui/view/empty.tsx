import {emptyLines, filteredLines} from '../lines/empty.ts';
import {useStore} from '../state/use-store.ts';
import {LineBlock} from './line-block.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';

/** What the open pane says when it has nothing to list, or when its filter lets nothing pass. */
export function Empty({
	isFiltered = false,
	width,
	height,
}: RegionProps & {readonly isFiltered?: boolean}) {
	const shell = useShell();
	const state = useStore(shell.feed, snapshot => snapshot.state);
	const rows = isFiltered ? filteredLines : emptyLines(shell.pane().empty(state), width);
	return <LineBlock rows={rows} top={0} width={width} height={height} />;
}
