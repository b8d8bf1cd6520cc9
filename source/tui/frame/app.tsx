import {Box, useApp} from 'ink';
import {useEffect} from 'react';
import {handleKey, handlePaste} from '../commands/scopes.ts';
import {useKeys} from '../input/use-keys.ts';
import type {Shell} from '../shell/shell.ts';
import {themes} from '../theme/theme.ts';
import {useStore, ShellContext, ThemeContext} from '../view/shell-context.ts';
import {ErrorBoundary} from './error-boundary.tsx';
import {Frame} from './frame.tsx';

type AppProps = {
	readonly shell: Shell;
	/** Receives the function that lends the terminal to another program. */
	readonly onReady?: (suspend: (task: () => Promise<void>) => Promise<void>) => void;
	/** Called when something outside of the panes fails to draw, which ends the interface. */
	readonly onError?: (error: unknown) => void;
};

/** The root: one key handler, the theme, and the frame. */
export function App({shell, onReady, onError}: AppProps) {
	return (
		<ErrorBoundary fallback={Nothing} {...(onError && {onError})}>
			<Root shell={shell} onReady={onReady} />
		</ErrorBoundary>
	);
}

const Nothing = () => undefined;

function Root({shell, onReady}: {readonly shell: Shell; readonly onReady: AppProps['onReady']}) {
	const theme = useStore(shell.view, state => state.theme);
	const {suspendTerminal} = useApp();
	useKeys(
		key => handleKey(shell, key),
		paste => handlePaste(shell, paste),
	);
	useEffect(() => onReady?.(suspendTerminal), [onReady, suspendTerminal]);

	return (
		<ShellContext value={shell}>
			<ThemeContext value={themes[theme]}>
				{/* Ink redraws between a resize and our reaction to it: what is then too wide must not wrap. */}
				<Box width="100%" overflow="hidden">
					<Frame />
				</Box>
			</ThemeContext>
		</ShellContext>
	);
}
