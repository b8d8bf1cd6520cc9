import type {Approval, ToolApproval} from '../../core/approval.ts';
import {isJsonObject} from '../../core/json.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {fit} from '../../terminal/text/fit.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import {formLines, messageLines, type FormLines} from '../forms/form-lines.ts';
import {blankLine, clean, line, type Line} from '../panes/line.ts';
import type {Snapshot} from '../state/feed.ts';
import type {Size} from '../state/view.ts';
import {deadlineText} from './approval-text.ts';
import {argumentRows, type ArgumentRows} from './argument-rows.ts';
import {footerLines} from './sheet-footer.ts';
import {callLines, formHead} from './sheet-lines.ts';
import {sideLines} from './sheet-side.ts';
import {offeredScopes, type Sheet} from './sheet.ts';

/** The sheet as it is drawn: what is asked scrolls, the choices under it stay. */
export type SheetLayout = {
	readonly title: readonly Line[];
	readonly content: readonly Line[];
	/** The first row of the content that is shown, and how many there are. */
	readonly top: number;
	/** The last that can be the first. */
	readonly most: number;
	/** The first row when what keys act on is to be seen, with as little scrolling as that takes. */
	readonly cursorTop: number;
	readonly height: number;
	readonly footer: readonly Line[];
	/** On wide screens: what the server says, and the last calls. */
	readonly side: readonly Line[];
	readonly width: number;
	readonly sideWidth: number;
	/** All of what is asked stands in `content`. */
	readonly isWhole: boolean;
	/** The last row of what is asked is on the screen. */
	readonly isAtEnd: boolean;
};

export type SheetInputs = {
	readonly sheet: Sheet;
	readonly approval: Approval;
	readonly snapshot: Snapshot;
	readonly size: Size;
	/** Rows under the title. */
	readonly height: number;
	/** Milliseconds until keys may allow; `undefined` while the sheet is not drawn. */
	readonly waitMs: number | undefined;
};

const splitFrom = {columns: 100, rows: 30} as const;
const gutter = 2;
const leftShare = 0.58;

const known = new WeakMap<Approval, {readonly width: number; readonly args: ArgumentRows}>();

/** The arguments of a call at a width; laid out once. */
function argumentsOf(approval: ToolApproval, width: number): ArgumentRows {
	const last = known.get(approval);
	if (last?.width === width) {
		return last.args;
	}

	const args = argumentRows(approval.args, {last: approval.lastArgs, width});
	known.set(approval, {width, args});
	return args;
}

const widthOf = (size: Size): number => {
	const isSplit = size.columns >= splitFrom.columns && size.rows >= splitFrom.rows;
	return isSplit ? Math.floor((size.columns - gutter) * leftShare) : size.columns;
};

/** Whether all of what is asked can be shown on a screen of this size, if scrolled. */
export const isShownWhole = (approval: Approval, size: Size): boolean =>
	approval.kind === 'form' || argumentsOf(approval, widthOf(size)).isWhole;

/** Lays the sheet out for the screen as it is. */
export function layoutSheet(inputs: SheetInputs): SheetLayout {
	const {sheet, approval, snapshot, size, height} = inputs;
	const width = widthOf(size);
	const isSplit = width < size.columns;
	const sideWidth = isSplit ? size.columns - gutter - width : 0;
	const {content, isWhole, cursor, isHeld} = contentOf(inputs, width);
	const {state, now} = snapshot;
	const locked = lockReason({...inputs, isWhole});
	const footer = footerLines(sheet, approval, {
		scopes: offeredScopes(approval, isWhole),
		locked,
		waiting: state.approvals.length,
		now,
		home: state.gateway.home,
		width,
	});
	const rows = Math.max(1, height - footer.length);
	const most = Math.max(0, content.length - rows);
	const wanted = cursor && isHeld ? topFor(cursor, {rows, top: sheet.top}) : sheet.top;
	const top = Math.max(0, Math.min(wanted, most));
	return {
		title: titleOf(inputs, locked),
		content,
		top,
		most,
		cursorTop: cursor ? Math.min(topFor(cursor, {rows, top}), most) : top,
		height: Math.min(rows, height),
		footer,
		side:
			isSplit && approval.kind === 'tool'
				? sideLines(approval.tool, {calls: state.settledApprovals, width: sideWidth})
				: [],
		width,
		sideWidth,
		isWhole,
		isAtEnd: height > footer.length && top + rows >= content.length,
	};
}

/** Scrolls as little as shows the rows that keys act on; their first where they have no room together. */
const topFor = (
	{first, last}: FormLines['cursor'],
	{rows, top}: {readonly rows: number; readonly top: number},
): number => Math.min(first, Math.max(top, last - rows + 1));

function contentOf({sheet, approval, snapshot: {state}}: SheetInputs, width: number) {
	const {step} = sheet;
	if (approval.kind === 'form') {
		const head = [...formHead(approval, {state, width}), ...messageLines(approval.message, width)];
		const filled = step.kind === 'form' || step.kind === 'deny-all' ? step.form : undefined;
		const form = filled && formLines(filled, width);
		return {
			content: [...head, ...(form?.rows ?? [])],
			isWhole: true,
			cursor: form && {
				first: head.length + form.cursor.first,
				last: head.length + form.cursor.last,
			},
			// Pages of a form can be turned, but nobody types where it is not seen.
			isHeld: step.kind === 'form' && step.form.editing !== undefined,
		};
	}

	const args = argumentsOf(approval, width);
	if (step.kind === 'rule') {
		return {
			content: keyLines(approval, step, width),
			isWhole: args.isWhole,
			cursor: {first: step.cursor + 2, last: step.cursor + 2},
			isHeld: true,
		};
	}

	return {
		content: callLines(approval, {state, args, width}),
		isWhole: args.isWhole,
		cursor: undefined,
		isHeld: false,
	};
}

/** The arguments of a call that a rule may want to be equal, in their order. */
export const ruleKeys = ({args}: ToolApproval): readonly string[] =>
	isJsonObject(args) ? Object.keys(args) : [];

const keyCells = 16;

function keyLines(
	approval: ToolApproval,
	{keys, cursor}: {readonly keys: ReadonlySet<string>; readonly cursor: number},
	width: number,
): readonly Line[] {
	const {args, tool} = approval;
	return [
		line(ui`  always allow ${clean(tool.tool)} on ${clean(tool.server)}`, 'strong'),
		blankLine,
		...ruleKeys(approval).map((key, index): Line => {
			const value = isJsonObject(args) ? JSON.stringify(args[key]) : '';
			return [
				{text: index === cursor ? own('  > ') : own('    '), tone: 'accent'},
				{text: ui`${keys.has(key) ? own('[x]') : own('[ ]')} ${fit(clean(key), keyCells)} `},
				{text: cell(value, width).text, tone: 'quiet'},
			];
		}),
	];
}

/** Why no key may allow now; `undefined` when one may. */
export function lockReason({
	sheet: {isSeen, wasPaged},
	isWhole,
	waitMs,
}: Pick<SheetInputs, 'sheet' | 'waitMs'> & {readonly isWhole: boolean}): Safe | undefined {
	if (waitMs === undefined) {
		return own('not drawn yet');
	}

	if (!isSeen) {
		return own('scroll to the end first: G');
	}

	if (!isWhole && !wasPaged) {
		return own('e opens all of it first');
	}

	return waitMs > 0 ? clean(`keys in ${(waitMs / 1000).toFixed(1)} s`) : undefined;
}

function titleOf(
	{approval, snapshot: {state, now}}: SheetInputs,
	locked: Safe | undefined,
): readonly Line[] {
	const position = state.approvals.findIndex(({id}) => id === approval.id) + 1;
	return [
		[
			{
				text: ui`Approval ${position} of ${state.approvals.length}`,
				tone: 'title',
			},
		],
		[{text: ui`${deadlineText(approval, now)}`, tone: 'warn'}],
		locked === undefined ? [] : [{text: locked, tone: 'quiet'}],
	];
}
