import {usePaste} from 'ink';
import {createContext, useContext, useEffect, useEffectEvent} from 'react';
import type {InputFrontend} from '../../terminal/input/input-frontend.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {Paste} from '../../terminal/input/paste-collector.ts';

/** Carries the front-end to `useKeys` and `<FieldRow>`; put around the root once. */
export const InputContext = createContext<InputFrontend | undefined>(undefined);

const nothing = () => {};

const ignore = () => false;

/**
 * Gets every key (and every paste), before any text field does. To be used once, at the root: `handler` asks the router and
 * returns whether the key was taken; what is not taken goes to the `<FieldRow>` that has the focus, if any.
 *
 * Keys do not come from Ink's `useInput`: it knows neither arrival times nor which handler took a key.
 */
export function useKeys(
	handler: (key: KeyEvent) => boolean,
	pasteHandler: (paste: Paste) => boolean = ignore,
): void {
	const frontend = useContext(InputContext);
	const onKey = useEffectEvent(handler);
	const onPaste = useEffectEvent(pasteHandler);

	// Ink owns raw mode and bracketed paste by counting hooks, and gives both back at unmount and for `suspendTerminal()`.
	// Nothing ever arrives here: the front-end keeps pastes to itself.
	usePaste(nothing);

	useEffect(() => {
		const stopKeys = frontend?.onKey(key => onKey(key));
		const stopPastes = frontend?.onPaste(paste => onPaste(paste));
		return () => {
			stopKeys?.();
			stopPastes?.();
		};
	}, [frontend]);
}
