import {Box, useApp} from 'ink';
import {useEffect} from 'react';
import {dialogNow, type Page} from '../acts/dialog.ts';
import {ruleLine} from '../lines/title-parts.ts';
import {LineBlock, type RegionProps, LineRow} from '../view/line-block.tsx';
import {useStore, useShell} from '../view/shell-context.ts';

/** A dialog at full width: its text must not be mixed with rows of a pane. */
export function PageView({width, height}: RegionProps) {
	const shell = useShell();
	// A sheet counts seconds, also in its title.
	useStore(shell.guard.ticks, count => count);
	useStore(shell.feed, snapshot => (dialogNow(shell)?.dialog.isWatched ? snapshot : undefined));
	// The search for arguments in the event ends later; the text then changes, and must be seen again.
	useStore(shell.loads, count => count);
	const {dialog, state} = dialogNow(shell) ?? {};
	const page = state && dialog?.page?.(state, shell, {width, height: height - 1});
	const {waitUntilRenderFlush} = useApp();
	const asked = page?.asked;

	// The guard's wait begins when the frame was written to the terminal, not when it was computed. After every frame, because the guard may have been reset.
	useEffect(() => {
		let isCurrent = true;
		void (async () => {
			await waitUntilRenderFlush();
			if (isCurrent && asked) {
				dialog?.shown?.(shell, asked);
			}
		})();
		return () => {
			isCurrent = false;
		};
	});

	if (!page) {
		return undefined;
	}

	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<Box height={1} flexShrink={0}>
				<LineRow row={ruleLine(page.title, width)} width={width} />
			</Box>
			<PageBody page={page} width={width} height={height - 1} />
		</Box>
	);
}

/** Scrolling rows, a fixed footer, and on wide screens a column beside both. */
function PageBody({page, width, height}: RegionProps & {readonly page: Page}) {
	const {rows, top, footer = [], side, sideWidth = 0} = page;
	const cells = page.width ?? width;
	const room = Math.max(0, height - footer.length);
	return (
		<Box width={width} height={height} flexShrink={0}>
			<Box flexDirection="column" width={cells} height={height} flexShrink={0}>
				<LineBlock
					rows={rows}
					top={top}
					width={cells}
					height={Math.min(page.height ?? room, rows.length, room)}
				/>
				<LineBlock rows={footer} top={0} width={cells} height={footer.length} />
			</Box>
			{side && (
				<>
					<Box width={width - cells - sideWidth} flexShrink={0} />
					<LineBlock rows={side} top={0} width={sideWidth} height={height} />
				</>
			)}
		</Box>
	);
}
