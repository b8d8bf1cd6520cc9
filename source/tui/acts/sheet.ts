import type {Approval} from '../../core/approval.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {askedFor, askingServer, decisionSentence} from '../../nouns/approval/approval-words.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {isShownWhole, layoutSheet, type SheetLayout} from '../approvals/sheet-layout.ts';
import {foundInEvent, lookIntoEvent, newSheet, sheetName, type Sheet} from '../approvals/sheet.ts';
import {newForm, withoutMasked} from '../forms/form.ts';
import type {Shell} from '../shell/shell.ts';
import type {Overlay} from '../state/view.ts';
import {dialogNow, dialogState} from './dialog.ts';
import {change} from './navigate.ts';
import {seenSheet} from './seen-sheet.ts';

/** The sheet for a request of a tool or a server, and the dialog to show again when it is closed. */
export const approvalSheet = dialogState<{readonly sheet: Sheet; readonly under?: Overlay}>(
	'approval',
);

/** The open sheet with its request and its layout. */
type OpenSheet = {
	readonly sheet: Sheet;
	readonly approval: Approval;
	/** Everything that is asked fits on this screen, by scrolling if need be. */
	readonly isWhole: boolean;
	/** Still searching which arguments occur in the event. */
	readonly isLooking: boolean;
	readonly layout: () => SheetLayout;
};

/** The open sheet at a point in time; `undefined` when none is open, or its request is settled. */
export function sheetNow(shell: Shell, at = shell.clock.monotonic()): OpenSheet | undefined {
	const {sheet} = approvalSheet.now(shell) ?? {};
	if (!sheet) {
		return undefined;
	}

	const {size} = shell.view.get();
	// Read from the gateway, not from the last frame: a settled request must not be answered.
	const approval = shell.port.getState().approvals.find(({id}) => id === sheet.id);
	const inEvent = foundInEvent(shell, sheet.id);
	return (
		approval && {
			sheet,
			approval,
			isWhole: isShownWhole(approval, {size, fromEvent: inEvent.fromEvent}),
			isLooking: inEvent.isLooking,
			layout: () =>
				layoutSheet({
					sheet,
					approval,
					snapshot: shell.feed.get(),
					size,
					height: shell.layout().bodyHeight,
					...inEvent,
					isReadOnly: shell.port.isReadOnly === true,
					waitMs: shell.guard.waitMs(sheetName(sheet, size)),
					at,
				}),
		}
	);
}

export const {
	change: changeSheet,
	scroll: scrollSheet,
	noteShown,
} = seenSheet(approvalSheet, {
	nameOf: ({sheet}, size) => sheetName(sheet, size),
	layoutOf: shell => sheetNow(shell)?.layout(),
});

/** Goes to another step, and removes the toast, which would hide the step's keys. */
export function goToStep(shell: Shell, step: Sheet['step']): void {
	change(shell, {toast: undefined});
	changeSheet(shell, {step, refused: undefined});
}

/** Opens the sheet of a request. Nothing may be allowed before the sheet is drawn. `only`: see `Sheet`. */
export function openSheet(shell: Shell, approval: Approval, only?: number): void {
	shell.guard.asked();
	lookIntoEvent(shell, approval);
	const {drafts} = shell.view.get();
	const step =
		approval.kind === 'form'
			? ({kind: 'form', form: drafts.get(approval.id) ?? newForm(approval.fields)} as const)
			: ({kind: 'choose'} as const);
	const under = underOf(shell);
	approvalSheet.open(
		shell,
		{sheet: newSheet(approval.id, step, only), ...(under && {under})},
		{
			field: undefined,
			drafts: new Map([...drafts].filter(([id]) => id !== approval.id)),
			// A toast would cover the last row, which shows the sheet's keys.
			toast: undefined,
		},
	);
}

/** The dialog below the sheet, if any. */
function underOf(shell: Shell): Overlay | undefined {
	const now = dialogNow(shell);
	return approvalSheet.isOpen(shell)
		? approvalSheet.now(shell)?.under
		: now?.dialog.comesBack && now.state;
}

/** Closes the sheet and shows again what was below it. */
export const closeSheet = (shell: Shell): void => change(shell, {overlay: underOf(shell)});

/** Closes the sheet with the request still waiting. What was filled in, except secrets, is kept for the next time. */
export function setAside(shell: Shell): void {
	keepDraft(shell);
	closeSheet(shell);
}

/** Saves the form's draft, and drops drafts of requests that no longer wait. */
function keepDraft(shell: Shell): void {
	const {drafts} = shell.view.get();
	const {id, step} = approvalSheet.now(shell)?.sheet ?? {};
	if (id !== undefined && step?.kind === 'form') {
		const waiting = new Set(shell.port.getState().approvals.map(one => one.id));
		const kept = [...drafts].filter(([other]) => waiting.has(other));
		change(shell, {drafts: new Map([...kept, [id, withoutMasked(step.form)]])});
	}
}

/** Shows the next or the previous waiting request. Its sheet is opened anew, so nothing may be allowed before it was seen. */
export function turnSheet(shell: Shell, step: 1 | -1): void {
	const {sheet} = approvalSheet.now(shell) ?? {};
	const {approvals} = shell.port.getState();
	if (!sheet) {
		return;
	}

	const {id, only} = sheet;
	const here = approvals.findIndex(one => one.id === id);
	const next = approvals[(here + step + approvals.length) % approvals.length];
	if (next && next.id !== id) {
		keepDraft(shell);
		openSheet(shell, next, only);
	}
}

/** Replaces an answered request by the oldest waiting one, unless a pane opened this one alone. Keys already typed were meant for the answered one, so they are ignored. */
export function leaveSheet(shell: Shell, answered: number): void {
	const only = approvalSheet.now(shell)?.sheet.only;
	const next = shell.port.getState().approvals.find(({id}) => id !== answered);
	if (next && only !== answered) {
		shell.guard.gone();
		openSheet(shell, next, only);
		return;
	}

	closeSheet(shell);
	if (next) {
		shell.guard.gone();
	}
}

/**
 * Whether this key press may allow what is asked: it must come alone, half a second after the last row appeared, and not amid other typing. A refused press shows
 * why, and delays the next one.
 */
export function mayAllow(shell: Shell, key: KeyEvent): boolean {
	const open = sheetNow(shell, key.t);
	if (!open || shell.layout().isTooSmall) {
		return false;
	}

	const {locked, verdict, isWhole} = open.layout();
	const {sheet} = open;
	if (locked === undefined && shell.guard.permits(sheetName(sheet, shell.view.get().size), key)) {
		return true;
	}

	shell.guard.disturbed(key.t);
	if (!isWhole && !sheet.wasPaged) {
		refuse(shell, literal('Not everything could be shown: e opens all of it first'));
	} else if (locked !== undefined && verdict.kind === 'unseen') {
		refuse(shell, safe`Not everything was on the screen: ${locked}`);
	} else if (open.isLooking) {
		refuse(shell, literal('Too early: the event is being searched for the arguments'));
	} else {
		refuse(shell, tooEarly);
	}

	return false;
}

/** Shows why a key press allowed nothing: briefly in the last row, and on the sheet until the next key. */
export function refuse(shell: Shell, why: Safe): void {
	changeSheet(shell, {refused: why});
	shell.toast(why, 'warn');
}

/** Why a key press did not count as a yes. */
export const tooEarly = literal(
	'Too early: wait half a second after the last key, then press one alone',
);

/** Forgets which rows were seen: after a resize they are laid out anew. */
export function forgetShown(shell: Shell): void {
	shell.guard.asked();
	changeSheet(shell, {seen: {}});
}

/** Replaces a sheet that vanished while somebody typed into it, so that the rest of the typing reaches no pane. */
export const taken = dialogState<{readonly text: Safe}>('taken');

/** Closes the sheet of a request that was settled elsewhere or became void, and shows how. */
export function closeSettled(shell: Shell): void {
	const {sheet} = approvalSheet.now(shell) ?? {};
	if (!sheet) {
		return;
	}

	const {approvals, settledApprovals} = shell.port.getState();
	const {id} = sheet;
	if (approvals.some(other => other.id === id)) {
		return;
	}

	shell.guard.gone();
	closeSheet(shell);
	const settled = settledApprovals.findLast(other => other.id === id);
	const {decision} = settled ?? {};
	const text =
		settled && decision
			? safe`${askingServer(settled)} ${askedFor(settled)} waits no more: ${decisionSentence(decision)} (${escapeLine(decision.by)})`
			: literal('It waits no more');
	if (sheet.step.kind === 'choose' || sheet.step.kind === 'by-hand') {
		shell.toast(text, 'warn');
	} else {
		taken.open(shell, {text});
	}
}
