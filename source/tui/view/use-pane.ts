import type {Snapshot} from '../state/feed.ts';
import {useStore} from '../state/use-store.ts';
import type {ViewState} from '../state/view.ts';
import {useShell} from './shell-context.ts';

const still = {get: () => undefined, subscribe: () => () => {}};

/** Draws again when the view, the list of the open pane or the gateway's state changed. */
export function usePane(): {
	readonly view: ViewState;
	readonly snapshot: Snapshot;
} {
	const shell = useShell();
	const view = useStore(shell.view, state => state);
	const snapshot = useStore(shell.feed, now => now);
	useStore(shell.openList() ?? still, state => state);
	return {view, snapshot};
}
