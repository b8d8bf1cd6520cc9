import {paneOf, type Pane} from '../panes/pane.ts';
import type {Snapshot} from '../state/feed.ts';
import {useStore} from '../state/use-store.ts';
import type {ViewState} from '../state/view.ts';
import {useShell} from './shell-context.ts';

const still = {get: () => undefined, subscribe: () => () => {}};

/** The open pane; draws again when the view, its list or the gateway's state changed. */
export function usePane(): {
	readonly pane: Pane;
	readonly view: ViewState;
	readonly snapshot: Snapshot;
} {
	const shell = useShell();
	const view = useStore(shell.view, state => state);
	const snapshot = useStore(shell.feed, now => now);
	const pane = paneOf(view.pane);
	useStore(pane.list?.(shell) ?? still, state => state);
	return {pane, view, snapshot};
}
