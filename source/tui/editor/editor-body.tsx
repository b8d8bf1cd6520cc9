import {Box} from 'ink';
import {lossText} from '../../nouns/route/route-facts.ts';
import type {Line} from '../lines/line.ts';
import {LineBlock, type RegionProps} from '../view/line-block.tsx';
import {useBodyCursor, useShell} from '../view/shell-context.ts';
import {draftLines} from './draft-lines.ts';
import type {EditorState} from './editor-state.ts';
import {findLine} from './find-field.ts';
import {fieldNow} from './route-form.ts';
import {isTemplate, routeRows} from './route-rows.ts';
import {planLines, savedLines} from './step-lines.ts';

/** Shows a route's form in place of the list: fields, and below them the draft's effect. */
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

/** Below this many rows the draft's effect gets one row, unless a template is shown: the fields need the others. */
const fewRows = 14;
const sideShare = 0.4;

function FormBody({state, width, height: rowsOfBody}: RegionProps & {readonly state: EditorState}) {
	const looked = findLine(state, width);
	const height = looked ? rowsOfBody - 1 : rowsOfBody;
	const shell = useShell();
	const putCursor = useBodyCursor();
	const {state: seen, now} = shell.feed.get();
	const route = seen.routes.find(
		({name, source}) => name === state.draft.from && source === state.draft.source,
	);
	const {rows, first, last, cursor} = routeRows(state, {
		width,
		now,
		losses: route && lossText(route, {now, deliveries: seen.deliveries}),
	});
	const isOnTemplate = isTemplate(fieldNow(state));
	const side = draftLines(state, {width, isTemplate: isOnTemplate});
	const isFew = height < fewRows && !isOnTemplate;
	const least = isFew ? 1 : Math.min(side.length, Math.ceil(height * sideShare));
	const formHeight = Math.min(rows.length, height - least);
	// A field that is too tall shows its beginning, or while typing the part around the cursor.
	const wanted = cursor
		? Math.max(0, cursor.row - formHeight + 3)
		: Math.min(first, Math.max(0, last - formHeight + 1));
	const top = Math.min(wanted, Math.max(0, rows.length - formHeight));
	putCursor(cursor && {...cursor, row: cursor.row - top});
	return (
		<Box width={width} height={rowsOfBody} flexDirection="column" overflow="hidden" flexShrink={0}>
			<LineBlock rows={rows} top={top} width={width} height={formHeight} />
			<LineBlock rows={side} top={state.sideTop} width={width} height={height - formHeight} />
			{looked && <LineBlock rows={[looked]} top={0} width={width} height={1} />}
		</Box>
	);
}
