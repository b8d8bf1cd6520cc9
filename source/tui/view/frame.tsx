import {Box} from 'ink';
import {messageOf} from '../../core/errors.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {failedLines} from '../panes/empty.ts';
import {clean, line} from '../panes/line.ts';
import {paneKey} from '../panes/pane.ts';
import {paneTitle} from '../shell/pane-title.ts';
import {statusLine} from '../shell/status-line.ts';
import {tabsLine} from '../shell/tabs-line.ts';
import type {Layout} from '../state/layout.ts';
import {smallest} from '../state/layout.ts';
import {useStore} from '../state/use-store.ts';
import {ErrorBoundary} from './error-boundary.tsx';
import {LastRow} from './last-row.tsx';
import {LineBlock} from './line-block.tsx';
import {LineRow} from './line-row.tsx';
import {OverlayView} from './overlay-view.tsx';
import {PaneDetail} from './pane-detail.tsx';
import type {RegionProps} from './region.ts';
import {useShell} from './shell-context.ts';
import {usePane} from './use-pane.ts';

/** Everything on the screen: exactly as many rows and columns as the terminal has. */
export function Frame() {
	const shell = useShell();
	const view = useStore(shell.view, state => state);
	const banners = useStore(shell.feed, () => shell.banners());
	const {columns, rows} = view.size;
	const layout = shell.layout();
	if (layout.isTooSmall) {
		return <TooSmall width={columns} height={rows} />;
	}

	// Another pane, or Ctrl-l, is another attempt at what could not be drawn.
	const attempt = `${view.pane} ${view.redraws}`;
	return (
		<Box width={columns} height={rows} flexDirection="column" overflow="hidden" flexShrink={0}>
			<Head width={columns} />
			<LineBlock rows={banners} top={0} width={columns} height={banners.length} />
			<ErrorBoundary key={attempt} fallback={PaneFailed}>
				{view.overlay ? (
					<OverlayView overlay={view.overlay} width={columns} height={layout.bodyHeight + 1} />
				) : (
					<PaneRegion layout={layout} width={columns} height={layout.bodyHeight} />
				)}
			</ErrorBoundary>
			<Box height={1} width={columns} flexShrink={0}>
				<ErrorBoundary key={attempt} fallback={LastRowFailed}>
					<LastRow width={columns} />
				</ErrorBoundary>
			</Box>
		</Box>
	);
}

/** The status row and the tabs: with the title of the pane all that an idle second draws anew. */
function Head({width}: {readonly width: number}) {
	const shell = useShell();
	const open = useStore(shell.view, state => state.pane);
	const snapshot = useStore(shell.feed, now => now);
	const rows = [
		statusLine(snapshot, shell.version, width),
		tabsLine({panes: shell.panes, open}, snapshot.state, width),
	];
	return <LineBlock rows={rows} top={0} width={width} height={rows.length} />;
}

function PaneTitle({width}: {readonly width: number}) {
	const shell = useShell();
	usePane();
	return <LineBlock rows={[paneTitle(shell, width)]} top={0} width={width} height={1} />;
}

/** The rule of a pane, and under it its list, its detail, or both. */
function PaneRegion({layout, width, height}: RegionProps & {readonly layout: Layout}) {
	const shell = useShell();
	const {Body} = useStore(shell.view, () => shell.pane());
	return (
		<>
			<PaneTitle width={width} />
			<Box width={width} height={height} flexShrink={0}>
				{layout.showsList && <Body width={layout.listWidth} height={height} />}
				{layout.gutter > 0 && <Box width={layout.gutter} flexShrink={0} />}
				{layout.showsDetail && <PaneDetail width={layout.detailWidth} height={height} />}
			</Box>
		</>
	);
}

/** In place of a pane that failed; the others work on. */
function PaneFailed({error}: {readonly error: unknown}) {
	const shell = useShell();
	const {columns} = shell.view.get().size;
	const height = shell.layout().bodyHeight + 1;
	return <LineBlock rows={failedLines(messageOf(error))} top={0} width={columns} height={height} />;
}

function LastRowFailed() {
	const {view, panes} = useShell();
	const {columns} = view.get().size;
	const keys = panes.flatMap((_, index) => paneKey(index) ?? []);
	return (
		<LineRow
			row={line(
				safe` 1-${clean(keys.at(-1) ?? '')} another pane   ctrl+l try again   q quit`,
				'quiet',
			)}
			width={columns}
		/>
	);
}

function TooSmall({width, height}: RegionProps) {
	const {view} = useShell();
	const {overlay} = view.get();
	const isLeaving = overlay?.kind === 'quit';
	const rows = [
		line(
			safe`terminal too small (${width}×${height}, need ${smallest.columns}×${smallest.rows})`,
			'warn',
		),
		...(overlay?.kind === 'approval'
			? [line(literal('! d denies, Esc leaves; to allow: more room'), 'warn')]
			: []),
		...(isLeaving ? [line(safe`q again to quit, Esc stay`)] : []),
	];
	return (
		<Box width={width} height={height} overflow="hidden" flexShrink={0}>
			<LineBlock rows={rows} top={0} width={width} height={height} />
		</Box>
	);
}
