import {Box} from 'ink';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import {dialogNow, isPage} from '../acts/dialog.ts';
import {failedLines} from '../lines/empty.ts';
import {line} from '../lines/line.ts';
import {paneKey} from '../panes/pane.ts';
import {bannerLine} from '../shell/banners.ts';
import {paneTitle} from '../shell/pane-title.ts';
import {statusLine} from '../shell/status-line.ts';
import {tabsLine} from '../shell/tabs-line.ts';
import {type Layout, smallest} from '../state/layout.ts';
import {themes, themesBehind} from '../theme/theme.ts';
import {Divider, LineBlock, type RegionProps, LineRow} from '../view/line-block.tsx';
import {NounBody} from '../view/noun-body.tsx';
import {PaneDetail} from '../view/pane-detail.tsx';
import {useStore, ThemeContext, useShell, usePane} from '../view/shell-context.ts';
import {DialogBox} from './dialog-box.tsx';
import {ErrorBoundary} from './error-boundary.tsx';
import {LastRow, ToastRows} from './last-row.tsx';
import {PageView} from './page-view.tsx';
import {paneBodies} from './pane-bodies.ts';
import {ProposalsRow} from './proposals-row.tsx';

/** The status row and the tabs. */
const headRows = 2;

/** The whole screen: exactly as many rows and columns as the terminal has. */
export function Frame() {
	const shell = useShell();
	const view = useStore(shell.view, state => state);
	const banners = useStore(shell.feed, () => shell.banners());
	const {size, overlay} = view;
	const {columns, rows} = size;
	const layout = shell.layout();
	const {bodyHeight} = layout;
	const banner = bannerLine(banners, columns);
	if (layout.isTooSmall) {
		return <TooSmall width={columns} height={rows} />;
	}

	// Opening another pane, or Ctrl-l, retries what failed to draw.
	const attempt = `${view.pane} ${view.redraws}`;
	return (
		<Box width={columns} height={rows} flexDirection="column" overflow="hidden" flexShrink={0}>
			<Head width={columns} />
			{banner && <LineBlock rows={[banner]} top={0} width={columns} height={1} />}
			<ErrorBoundary key={attempt} fallback={PaneFailed}>
				{isPage(shell) ? (
					<PageView width={columns} height={bodyHeight + 1} />
				) : (
					<ThemeContext value={(overlay ? themesBehind : themes)[view.theme]}>
						<PaneRegion layout={layout} width={columns} height={bodyHeight} />
					</ThemeContext>
				)}
			</ErrorBoundary>
			{layout.hints > 0 && (
				<ErrorBoundary key={`hints ${attempt}`} fallback={LastRowFailed}>
					<ProposalsRow width={columns} />
				</ErrorBoundary>
			)}
			<Box height={1} width={columns} flexShrink={0}>
				<ErrorBoundary key={attempt} fallback={LastRowFailed}>
					<LastRow width={columns} />
				</ErrorBoundary>
			</Box>
			{overlay && !isPage(shell) && (
				<Box
					position="absolute"
					top={headRows + layout.banners}
					width={columns}
					height={bodyHeight + 1}
				>
					<ErrorBoundary key={`${attempt} ${overlay.kind}`} fallback={PaneFailed}>
						<DialogBox width={columns} height={bodyHeight + 1} />
					</ErrorBoundary>
				</Box>
			)}
			<ErrorBoundary key={`toast ${attempt}`} fallback={Nothing}>
				<ToastRows width={columns} bottom={rows - 1} />
			</ErrorBoundary>
		</Box>
	);
}

/** The status row and the tabs. Together with the pane's title, all that is redrawn in an idle second. */
function Head({width}: {readonly width: number}) {
	const shell = useShell();
	const open = useStore(shell.view, state => state.pane);
	const snapshot = useStore(shell.feed, now => now);
	const rows = [
		statusLine(
			snapshot,
			{version: shell.version, isReadOnly: shell.port.isReadOnly === true},
			width,
		),
		tabsLine({panes: shell.panes, open}, width),
	];
	return <LineBlock rows={rows} top={0} width={width} height={rows.length} />;
}

function PaneTitle({width}: {readonly width: number}) {
	const shell = useShell();
	usePane();
	return <LineBlock rows={[paneTitle(shell, width)]} top={0} width={width} height={1} />;
}

/** A pane's title rule, and below it its list, its detail, or both. */
function PaneRegion({layout, width, height}: RegionProps & {readonly layout: Layout}) {
	const shell = useShell();
	const {id, sections} = useStore(shell.view, () => shell.pane());
	const Body = paneBodies[id];
	const listing = sections[0].listing?.noun;
	return (
		<>
			<PaneTitle width={width} />
			<Box width={width} height={height} flexShrink={0}>
				{layout.showsList && Body && <Body width={layout.listWidth} height={height} />}
				{layout.showsList && !Body && listing && (
					<NounBody of={listing} width={layout.listWidth} height={height} />
				)}
				{layout.gutter > 0 && <Divider width={layout.gutter} height={height} />}
				{layout.showsDetail && (
					<PaneDetail width={layout.mark + layout.detailWidth} height={height} />
				)}
			</Box>
		</>
	);
}

/** Shown in place of a pane that failed; the other panes keep working. */
function PaneFailed({error}: {readonly error: unknown}) {
	const shell = useShell();
	const {columns} = shell.view.get().size;
	const height = shell.layout().bodyHeight + 1;
	return <LineBlock rows={failedLines(messageOf(error))} top={0} width={columns} height={height} />;
}

const Nothing = () => undefined;

function LastRowFailed() {
	const {view, panes} = useShell();
	const {columns} = view.get().size;
	const keys = panes.flatMap((_, index) => paneKey(index) ?? []);
	return (
		<LineRow
			row={line(
				safe` 1-${escapeLine(keys.at(-1) ?? '')} another pane   ctrl+l try again   q quit`,
				'quiet',
			)}
			width={columns}
		/>
	);
}

function TooSmall({width, height}: RegionProps) {
	const said = dialogNow(useShell())?.dialog.whenTooSmall;
	const rows = [
		line(
			safe`terminal too small (${width}×${height}, need ${smallest.columns}×${smallest.rows})`,
			'warn',
		),
		...(said ? [said] : []),
	];
	return (
		<Box width={width} height={height} overflow="hidden" flexShrink={0}>
			<LineBlock rows={rows} top={0} width={width} height={height} />
		</Box>
	);
}
