import {Box} from 'ink';
import {messageOf} from '../../core/errors.ts';
import {failedLines} from '../panes/empty.ts';
import {line} from '../panes/line.ts';
import {bannersOf} from '../shell/banners.ts';
import {paneTitle} from '../shell/pane-title.ts';
import {statusLine} from '../shell/status-line.ts';
import {tabsLine} from '../shell/tabs-line.ts';
import type {Layout} from '../state/layout.ts';
import {smallest} from '../state/layout.ts';
import {ui} from '../text/safe.ts';
import {ErrorBoundary} from './error-boundary.tsx';
import {LastRow} from './last-row.tsx';
import {LineBlock} from './line-block.tsx';
import {OverlayView} from './overlay-view.tsx';
import {PaneDetail} from './pane-detail.tsx';
import {PaneList, type RegionProps} from './pane-list.tsx';
import {useShell} from './shell-context.ts';
import {usePane} from './use-pane.ts';

/** Everything on the screen: exactly as many rows and columns as the terminal has. */
export function Frame() {
	const shell = useShell();
	const {pane, view, snapshot} = usePane();
	const {columns, rows} = view.size;
	const layout = shell.layout();
	if (layout.isTooSmall) {
		return <TooSmall width={columns} height={rows} />;
	}

	const {state} = snapshot;
	const banners = bannersOf(state).slice(0, layout.banners);
	const head = [
		statusLine(snapshot, shell.version, columns),
		tabsLine(state, view.pane, columns),
		...banners.map(({text, tone}) => line(text, tone)),
	];
	return (
		<Box width={columns} height={rows} flexDirection="column" overflow="hidden">
			<LineBlock rows={head} top={0} width={columns} height={head.length} />
			{view.overlay ? (
				<OverlayView overlay={view.overlay} width={columns} height={layout.bodyHeight + 1} />
			) : (
				<>
					<LineBlock rows={[paneTitle(shell, pane, columns)]} top={0} width={columns} height={1} />
					<Body layout={layout} width={columns} height={layout.bodyHeight} />
				</>
			)}
			<Box height={1} width={columns} flexShrink={0}>
				<LastRow width={columns} />
			</Box>
		</Box>
	);
}

function Body({layout, width, height}: RegionProps & {readonly layout: Layout}) {
	const {pane, view} = usePane();
	return (
		<ErrorBoundary
			// Another pane, or Ctrl-l, is another attempt.
			key={`${pane.id} ${view.redraws}`}
			fallback={PaneFailed}
		>
			<Box width={width} height={height} flexShrink={0}>
				{layout.showsList && <PaneList pane={pane.id} width={layout.listWidth} height={height} />}
				{layout.gutter > 0 && <Box width={layout.gutter} flexShrink={0} />}
				{layout.showsDetail && <PaneDetail width={layout.detailWidth} height={height} />}
			</Box>
		</ErrorBoundary>
	);
}

/** In place of a pane that failed; the others work on. */
function PaneFailed({error}: {readonly error: unknown}) {
	const shell = useShell();
	const {columns} = shell.view.get().size;
	const {bodyHeight} = shell.layout();
	return (
		<LineBlock rows={failedLines(messageOf(error))} top={0} width={columns} height={bodyHeight} />
	);
}

function TooSmall({width, height}: RegionProps) {
	const {view} = useShell();
	const isLeaving = view.get().overlay?.kind === 'quit';
	const rows = [
		line(
			ui`terminal too small (${width}×${height}, need ${smallest.columns}×${smallest.rows})`,
			'warn',
		),
		...(isLeaving ? [line(ui`q again to quit, Esc stay`)] : []),
	];
	return (
		<Box width={width} height={height} overflow="hidden">
			<LineBlock rows={rows} top={0} width={width} height={height} />
		</Box>
	);
}
