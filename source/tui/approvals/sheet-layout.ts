import type {Approval} from '../../core/approval.ts';
import type {FromEvent} from '../../core/approvals/from-event.ts';
import type {Safe} from '../../core/untrusted.ts';
import {deadlineText} from '../../nouns/approval/approval-words.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import type {Page} from '../acts/dialog.ts';
import type {Line} from '../lines/line.ts';
import type {Snapshot} from '../state/feed.ts';
import type {Size} from '../state/view.ts';
import {arming} from './guard.ts';
import {
	judgeSeen,
	type AskedParts,
	type AskedText,
	type RowRange,
	type SeenVerdict,
	lockReason,
} from './seen-rows.ts';
import {
	argumentsOf,
	callContent,
	formContent,
	ruleContent,
	type SheetContent,
	sideLines,
} from './sheet-content.ts';
import {footerLines} from './sheet-footer.ts';
import {offeredScopes, type Sheet} from './sheet.ts';

/** The sheet as drawn: what is asked scrolls above the fixed choices. Wide screens add the server's description and the last calls at the side. */
export type SheetLayout = Omit<Page, 'asked' | 'height'> & {
	/** The largest possible first row. */
	readonly most: number;
	/** The first row that makes the cursor's rows visible with the least scrolling. */
	readonly cursorTop: number;
	readonly height: number;
	/** Everything that is asked is in `rows`. */
	readonly isWhole: boolean;
	/** The texts that must be seen before a key may allow, with their visible rows. */
	readonly asked: AskedParts;
	/** Whether all was seen, and for long enough. */
	readonly verdict: SeenVerdict;
	/** Why no key may allow now; absent if one may. */
	readonly locked: Safe | undefined;
};

type SheetInputs = {
	readonly sheet: Sheet;
	readonly approval: Approval;
	readonly snapshot: Snapshot;
	readonly size: Size;
	/** Rows below the title. */
	readonly height: number;
	/** Milliseconds until keys may allow; `undefined` until the sheet is drawn. */
	readonly waitMs: number | undefined;
	/** `Clock.monotonic()`. */
	readonly at: number;
	/** Arguments that also occur in the event. */
	readonly fromEvent: readonly FromEvent[];
	/** The search for them still runs. */
	readonly isLooking?: boolean;
	/** The request can be read but not answered. */
	readonly isReadOnly?: boolean;
};

const splitFrom = {columns: 100, rows: 30} as const;
const gutter = 2;
const leftShare = 0.58;

/** Cells for the call; the rest is for the server's description. A form takes the full width. */
const widthOf = ({kind}: Approval, size: Size): number => {
	const isSplit =
		kind === 'tool' && size.columns >= splitFrom.columns && size.rows >= splitFrom.rows;
	return isSplit ? Math.floor((size.columns - gutter) * leftShare) : size.columns;
};

/** Whether everything that is asked fits on a screen of this size, by scrolling if need be. */
export const isShownWhole = (
	approval: Approval,
	{size, fromEvent}: Pick<SheetInputs, 'size' | 'fromEvent'>,
): boolean =>
	approval.kind === 'form' || argumentsOf(approval, widthOf(approval, size), fromEvent).isWhole;

/** Lays the sheet out for the screen as it is. */
export function layoutSheet(inputs: SheetInputs): SheetLayout {
	const {sheet, approval, snapshot, size, height, at} = inputs;
	const {state, now} = snapshot;
	const width = widthOf(approval, size);
	const isSplit = width < size.columns;
	const sideWidth = isSplit ? size.columns - gutter - width : 0;
	const content = contentOf(inputs, width);
	const {lines, cursor, isHeld, isWhole} = content;
	const facts = {
		scopes: offeredScopes(approval, isWhole),
		waiting: state.approvals.length,
		now,
		width,
	};
	const choices = footerLines(sheet, approval, {...facts, locked: undefined});
	const rows = Math.max(1, height - choices.length);
	const most = Math.max(0, lines.length - rows);
	const wanted = cursor && isHeld ? topFor(cursor, {rows, top: sheet.top}) : sheet.top;
	const top = Math.max(0, Math.min(wanted, most));
	const window = height > choices.length ? {first: top, last: top + rows - 1} : undefined;
	const asked = askedParts(inputs, {content, choices, width, window});
	const verdict = judgeSeen(sheet.seen, asked, {now: at, restMs: arming.drawnMs});
	const locked = inputs.isReadOnly
		? literal('read-only')
		: lockReason({...inputs, verdict, part: content.part, window, isWhole});
	return {
		title: titleOf(inputs, locked),
		rows: lines,
		top,
		most,
		cursorTop: cursor ? Math.min(topFor(cursor, {rows, top}), most) : top,
		height: Math.min(rows, height),
		footer:
			locked === undefined
				? choices
				: footerLines(sheet, approval, {...facts, locked, isReadOnly: inputs.isReadOnly === true}),
		side:
			isSplit && approval.kind === 'tool'
				? sideLines(approval.tool, state.settledApprovals, sideWidth)
				: [],
		width,
		sideWidth,
		isWhole,
		asked,
		verdict,
		locked,
	};
}

/** Scrolls just far enough to show the cursor's rows, or the first of them if they do not all fit. */
const topFor = (
	{first, last}: RowRange,
	{rows, top}: {readonly rows: number; readonly top: number},
): number => Math.min(first, Math.max(top, last - rows + 1));

function contentOf(
	{sheet: {step}, approval, snapshot: {state}, fromEvent}: SheetInputs,
	width: number,
): SheetContent {
	if (approval.kind === 'form') {
		return formContent(approval, step, {state, width});
	}

	return step.kind === 'rule'
		? ruleContent(approval, step, {state, width, fromEvent})
		: callContent(approval, {state, width, fromEvent});
}

type Shown = {
	readonly content: SheetContent;
	readonly choices: readonly Line[];
	readonly width: number;
	/** The visible rows of the content; absent if the choices leave no room. */
	readonly window: RowRange | undefined;
};

/** The texts that must be seen. For a rule these are the call that it came from and the rule itself with its choices. */
function askedParts(inputs: SheetInputs, {content, choices, width, window}: Shown): AskedParts {
	const {sheet, approval, snapshot, size, fromEvent} = inputs;
	const shown = window ? [window] : [];
	const textOf = (part: string, lines: readonly Line[]) => ({
		of: `${approval.id} ${part} ${size.columns}x${size.rows}`,
		rows: lines.map(spans => spans.map(({text}) => text).join('')),
	});
	if (approval.kind === 'form') {
		const text = textOf('form', content.plain);
		return {form: {...text, needed: text.rows.length, shown, isFilledIn: true}};
	}

	const isCall = content.part === 'call';
	const args = argumentsOf(approval, width, fromEvent);
	const call = isCall ? content : callContent(approval, {state: snapshot.state, width, fromEvent});
	const text = textOf('call', call.plain);
	// Arguments with too many rows to show were read in the pager; otherwise allowing is locked.
	const unneeded = !args.isWhole && sheet.wasPaged ? args.rows.length : 0;
	const ofCall: AskedText = {
		...text,
		needed: text.rows.length - unneeded,
		shown: isCall ? shown : [],
		isFilledIn: false,
	};
	if (isCall) {
		return {call: ofCall};
	}

	const rule = textOf('rule', [...choices, ...content.plain]);
	const {length} = choices;
	return {
		call: ofCall,
		rule: {
			...rule,
			needed: rule.rows.length,
			shown: window
				? [
						{first: 0, last: length - 1},
						{first: length + window.first, last: length + window.last},
					]
				: [],
			isFilledIn: true,
		},
	};
}

function titleOf(
	{approval, snapshot: {state, now}}: SheetInputs,
	locked: Safe | undefined,
): readonly Line[] {
	const position = state.approvals.findIndex(({id}) => id === approval.id) + 1;
	return [
		[{text: safe`Approval ${position} of ${state.approvals.length}`, tone: 'title'}],
		[{text: safe`${deadlineText(approval, now)}`, tone: 'warn'}],
		locked === undefined ? [] : [{text: locked, tone: 'quiet'}],
	];
}
