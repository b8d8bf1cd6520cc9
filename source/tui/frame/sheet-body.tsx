import {Box, useApp} from 'ink';
import {useEffect} from 'react';
import {literal} from '../../terminal/text/safe.ts';
import {noteShown, sheetNow} from '../acts/sheet.ts';
import {sheetName} from '../approvals/sheet.ts';
import {line} from '../lines/line.ts';
import {useStore} from '../state/use-store.ts';
import {LineBlock} from '../view/line-block.tsx';
import {useShell} from '../view/shell-context.ts';

const gone = [line(literal('  It waits no more.'), 'quiet')];

/** The open sheet: what is asked, the choices under it, and on wide screens what the server says beside it. */
export function SheetBody({width, height}: {readonly width: number; readonly height: number}) {
	const shell = useShell();
	const {waitUntilRenderFlush} = useApp();
	// What of the arguments stands in the event is found a moment later: then it is another text, to be seen anew.
	useStore(shell.loads, count => count);
	const open = sheetNow(shell);
	const of = open ? sheetName(open.sheet, shell.view.get().size) : undefined;
	const layout = open?.layout();
	const asked = layout?.asked;

	// Keys may allow some time after the frame has left for the terminal, not after it was thought of. After every frame: the guard may have forgotten.
	useEffect(() => {
		let isCurrent = true;
		void (async () => {
			await waitUntilRenderFlush();
			if (isCurrent && of !== undefined && asked) {
				noteShown(shell, {of, asked});
			}
		})();
		return () => {
			isCurrent = false;
		};
	});

	if (!layout) {
		return <LineBlock rows={gone} top={0} width={width} height={height} />;
	}

	const footer = layout.footer.length;
	return (
		<Box width={width} height={height} flexShrink={0}>
			<Box flexDirection="column" width={layout.width} height={height} flexShrink={0}>
				<LineBlock
					rows={layout.content}
					top={layout.top}
					width={layout.width}
					height={Math.max(0, Math.min(layout.height, layout.content.length, height - footer))}
				/>
				<LineBlock rows={layout.footer} top={0} width={layout.width} height={footer} />
			</Box>
			<Box width={width - layout.width - layout.sideWidth} flexShrink={0} />
			<LineBlock rows={layout.side} top={0} width={layout.sideWidth} height={height} />
		</Box>
	);
}
