import {Box, useCursor} from 'ink';
import type {Line} from '../lines/line.ts';
import {useStore} from '../state/use-store.ts';
import {Divider, LineBlock} from '../view/line-block.tsx';
import type {RegionProps} from '../view/region.ts';
import {useShell} from '../view/shell-context.ts';
import {draftLines, editorSplit, gutterCells} from './draft-lines.ts';
import type {EditorState} from './editor-state.ts';
import {findLine} from './find-field.ts';
import {routeRows} from './route-rows.ts';
import {planLines, savedLines} from './step-lines.ts';

/** Rows above the body: status, tabs, and the rule of the pane. */
const headRows = 3;

/** The form of a route in place of the list: fields, and beside or below them what they do. */
export function EditorBody({state, width, height}: RegionProps & {readonly state: EditorState}) {
	const {step} = state;
	switch (step.kind) {
		case 'form':
			return <FormBody state={state} width={width} height={height} />;
		case 'diff':
			return block(planLines(step.plan, width), step.top);
		case 'saved':
			return block(savedLines(step, {width, height}));
	}

	function block(rows: readonly Line[], top = 0) {
		return <LineBlock rows={rows} top={top} width={width} height={height} />;
	}
}

function FormBody({state, width, height: rowsOfBody}: RegionProps & {readonly state: EditorState}) {
	const looked = findLine(state, width);
	const height = looked ? rowsOfBody - 1 : rowsOfBody;
	const shell = useShell();
	const {setCursorPosition} = useCursor();
	const banners = useStore(shell.feed, () => shell.layout().banners);
	const {isSplit, formWidth, sideWidth} = editorSplit(width);
	const formHeight = isSplit ? height : Math.ceil(height * 0.6);
	const {rows, first, last, cursor} = routeRows(state, {
		width: formWidth,
		now: shell.feed.get().now,
	});
	// Of a field that is too tall, its beginning; of one that is typed in, what is around the cursor.
	const wanted = cursor
		? Math.max(0, cursor.row - formHeight + 3)
		: Math.min(first, Math.max(0, last - formHeight + 1));
	const top = Math.min(wanted, Math.max(0, rows.length - formHeight));
	// Where an input method puts what it composes.
	setCursorPosition(
		cursor && shell.view.get().overlay === undefined
			? {x: cursor.column, y: headRows + banners + cursor.row - top}
			: undefined,
	);
	const sideHeight = isSplit ? height : height - formHeight;
	const form = (
		<Box
			width={width}
			height={height}
			flexDirection={isSplit ? 'row' : 'column'}
			overflow="hidden"
			flexShrink={0}
		>
			<LineBlock rows={rows} top={top} width={formWidth} height={formHeight} />
			{isSplit && <Divider width={gutterCells} height={height} />}
			<LineBlock
				rows={draftLines(state, sideWidth)}
				top={state.sideTop}
				width={sideWidth}
				height={sideHeight}
			/>
		</Box>
	);
	return looked ? (
		<Box width={width} height={rowsOfBody} flexDirection="column" overflow="hidden" flexShrink={0}>
			{form}
			<LineBlock rows={[looked]} top={0} width={width} height={1} />
		</Box>
	) : (
		form
	);
}
