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

/** The sheet as it is drawn: what is asked scrolls, the choices under it stay; on wide screens with what the server says, and the last calls, at its side. */
export type SheetLayout = Omit<Page, 'asked' | 'height'> & {
	/** The last row that can be the first. */
	readonly most: number;
	/** The first row when what keys act on is to be seen, with as little scrolling as that takes. */
	readonly cursorTop: number;
	readonly height: number;
	/** All of what is asked stands in `rows`. */
	readonly isWhole: boolean;
	/** The texts that have to be seen before a key may allow, with the rows that are on the screen now. */
	readonly asked: AskedParts;
	/** Whether it was, and for long enough. */
	readonly verdict: SeenVerdict;
	/** Why no key may allow now; absent when one may. */
	readonly locked: Safe | undefined;
};

type SheetInputs = {
	readonly sheet: Sheet;
	readonly approval: Approval;
	readonly snapshot: Snapshot;
	readonly size: Size;
	/** Rows under the title. */
	readonly height: number;
	/** Milliseconds until keys may allow; `undefined` while the sheet is not drawn. */
	readonly waitMs: number | undefined;
	/** `Clock.monotonic()`. */
	readonly at: number;
	/** Arguments that stand in the event. */
	readonly fromEvent: readonly FromEvent[];
	/** They are being looked for. */
	readonly isLooking?: boolean;
	/** It can be looked at, and not answered. */
	readonly isReadOnly?: boolean;
};

const splitFrom = {columns: 100, rows: 30} as const;
const gutter = 2;
const leftShare = 0.58;

/** Cells of the call; beside it stand the words of its server. A form takes the whole width. */
const widthOf = ({kind}: Approval, size: Size): number => {
	const isSplit =
		kind === 'tool' && size.columns >= splitFrom.columns && size.rows >= splitFrom.rows;
	return isSplit ? Math.floor((size.columns - gutter) * leftShare) : size.columns;
};

/** Whether all of what is asked can be shown on a screen of this size, if scrolled. */
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

/** Scrolls as little as shows the rows that keys act on; their first where they have no room together. */
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
	/** The rows of the content that are on the screen; absent where the choices leave no room. */
	readonly window: RowRange | undefined;
};

/** A rule is seen when the call that it begins with was, and the rule with its choices. */
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
	// What has more rows than can be shown was in the pager, or is locked.
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
