import {Box, useApp} from 'ink';
import {useEffect} from 'react';
import {installLayout, noteInstallShown} from '../commands/install-sheet.ts';
import {installName, type InstallSheet} from '../install/install-sheet.ts';
import {LineBlock} from '../view/line-block.tsx';
import type {RegionProps} from '../view/region.ts';
import {useShell} from '../view/shell-context.ts';

/** The open sheet of an install link: all of what would be installed, the choices under it. */
export function InstallBody({sheet, width, height}: RegionProps & {readonly sheet: InstallSheet}) {
	const shell = useShell();
	const {waitUntilRenderFlush} = useApp();
	const of = installName(sheet, shell.view.get().size);
	const {content, footer, top, height: rows, asked} = installLayout(shell, sheet);

	// As for approvals: keys may install some time after the frame has left for the terminal, not after it was thought of.
	useEffect(() => {
		let isCurrent = true;
		void (async () => {
			await waitUntilRenderFlush();
			if (isCurrent) {
				noteInstallShown(shell, {of, asked});
			}
		})();
		return () => {
			isCurrent = false;
		};
	});

	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<LineBlock
				rows={content}
				top={top}
				width={width}
				height={Math.max(0, Math.min(rows, content.length, height - footer.length))}
			/>
			<LineBlock rows={footer} top={0} width={width} height={footer.length} />
		</Box>
	);
}
