import {useCursor} from 'ink';
import {useSyncExternalStore, createContext, useContext} from 'react';
import type {Shell} from '../shell/shell.ts';
import type {Snapshot} from '../state/feed.ts';
import type {ValueStore} from '../state/store.ts';
import type {ViewState} from '../state/view.ts';
import {themes, type Theme} from '../theme/theme.ts';

/** Passes the shell to every component; provided once, at the root. */
export const ShellContext = createContext<Shell | undefined>(undefined);

/** Passes the theme to every text. */
export const ThemeContext = createContext<Theme>(themes.dark);

/** The shell. @throws Error outside of the root */
export function useShell(): Shell {
	const shell = useContext(ShellContext);
	if (!shell) {
		throw new Error('A component of the interface stands outside of its root');
	}

	return shell;
}

/** Whether this region is focused, so shows the screen's only cursor. */
export const useKeyboard = (shell: Shell, region: 'list' | 'detail'): boolean =>
	useStore(
		shell.view,
		state => state.region === region && state.overlay === undefined && state.field === undefined,
	);

/** Status, tabs, and the pane's rule. */
const headRows = 3;

/** Puts the terminal's cursor into the pane's body, where input methods compose; not while a dialog is open. */
export function useBodyCursor(): (
	cursor: {readonly row: number; readonly column: number} | undefined,
) => void {
	const shell = useShell();
	const {setCursorPosition} = useCursor();
	const banners = useStore(shell.feed, () => shell.layout().banners);
	return cursor =>
		setCursorPosition(
			cursor && shell.view.get().overlay === undefined
				? {x: cursor.column, y: headRows + banners + cursor.row}
				: undefined,
		);
}

const still = {get: () => undefined, subscribe: () => () => {}};

/** Redraws when the view, the open pane's list or the gateway's state changes. */
export function usePane(): {readonly view: ViewState; readonly snapshot: Snapshot} {
	const shell = useShell();
	const view = useStore(shell.view, state => state);
	const snapshot = useStore(shell.feed, now => now);
	useStore(shell.openList() ?? still, state => state);
	return {view, snapshot};
}

/** A part of a store's value. `select` must return the same object while nothing changed. */
export function useStore<Value, Part>(
	store: Pick<ValueStore<Value>, 'get' | 'subscribe'>,
	select: (value: Value) => Part,
): Part {
	return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
