import {usePaste} from 'ink';
import {createContext, useContext, useEffect, useEffectEvent} from 'react';
import type {InputFrontend} from '../../terminal/input/input-frontend.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import type {Paste} from '../../terminal/input/paste-collector.ts';

/** Passes the front-end to `useKeys` and `<FieldRow>`; provided once, at the root. */
export const InputContext = createContext<InputFrontend | undefined>(undefined);

const nothing = () => {};

const ignore = () => false;

/**
 * Receives every key and paste before any text field. Use once, at the root: `handler` asks the router and returns whether the key was used; unused keys go to the
 * focused `<FieldRow>`, if any.
 *
 * Ink's `useInput` cannot be used: it reports neither arrival times nor which handler used a key.
 */
export function useKeys(
	handler: (key: KeyEvent) => boolean,
	pasteHandler: (paste: Paste) => boolean = ignore,
): void {
	const frontend = useContext(InputContext);
	const onKey = useEffectEvent(handler);
	const onPaste = useEffectEvent(pasteHandler);

	// Ink counts hooks to enable raw mode and bracketed paste, and disables both at unmount and for `suspendTerminal()`. The hook itself receives nothing: the
	// front-end takes all pastes.
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
