import {createContext, useContext} from 'react';
import type {Shell} from '../shell/shell.ts';
import {themes, type Theme} from '../theme/theme.ts';

/** Carries the shell to every component; put around the root once. */
export const ShellContext = createContext<Shell | undefined>(undefined);

/** Carries the theme to every text. */
export const ThemeContext = createContext<Theme>(themes.dark);

/** The shell. @throws Error outside of the root */
export function useShell(): Shell {
	const shell = useContext(ShellContext);
	if (!shell) {
		throw new Error('A component of the interface stands outside of its root');
	}

	return shell;
}
