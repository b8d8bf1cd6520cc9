import {emptyLines} from '../panes/empty.ts';
import {useStore} from '../state/use-store.ts';
import type {PaneId} from '../state/view.ts';
import {LineBlock} from './line-block.tsx';
import {useShell} from './shell-context.ts';

export type EmptyProps = {
	readonly pane: PaneId;
	readonly isFiltered: boolean;
	readonly width: number;
	readonly height: number;
};

/** What a pane says when it has nothing to list. */
export function Empty({pane, isFiltered, width, height}: EmptyProps) {
	const shell = useShell();
	const state = useStore(shell.feed, snapshot => snapshot.state);
	const rows = emptyLines(pane, {state, isFiltered}, width);
	return <LineBlock rows={rows} top={0} width={width} height={height} />;
}
