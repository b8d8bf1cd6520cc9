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

/** What a tool or a server asks of a person, and what comes back when the sheet is left. */
export const approvalSheet = dialogState<{readonly sheet: Sheet; readonly under?: Overlay}>(
	'approval',
);

/** The sheet that is open, with what it asks for and how it looks. */
type OpenSheet = {
	readonly sheet: Sheet;
	readonly approval: Approval;
	/** All of what is asked can be shown on this screen, if scrolled. */
	readonly isWhole: boolean;
	/** It is not known yet which arguments stand in the event. */
	readonly isLooking: boolean;
	readonly layout: () => SheetLayout;
};

/** The open sheet as it is at a time; `undefined` when there is none, or what it asks for waits no more. */
export function sheetNow(shell: Shell, at = shell.clock.monotonic()): OpenSheet | undefined {
	const {sheet} = approvalSheet.now(shell) ?? {};
	if (!sheet) {
		return undefined;
	}

	const {size} = shell.view.get();
	// Asks the gateway, not the last frame: a settled request must not be answered.
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

/** Goes to another step. What was said of the one before must not hide the keys of this one. */
export function goToStep(shell: Shell, step: Sheet['step']): void {
	change(shell, {toast: undefined});
	changeSheet(shell, {step, refused: undefined});
}

/** Opens the sheet of a request. Nothing of it may be allowed before it is drawn. `only`: see `Sheet`. */
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
			// The last row is for the keys of the sheet.
			toast: undefined,
		},
	);
}

/** What a sheet lies over, besides a pane. */
function underOf(shell: Shell): Overlay | undefined {
	const now = dialogNow(shell);
	return approvalSheet.isOpen(shell)
		? approvalSheet.now(shell)?.under
		: now?.dialog.comesBack && now.state;
}

/** Goes back to what the sheet was opened over. */
export const closeSheet = (shell: Shell): void => change(shell, {overlay: underOf(shell)});

/** Leaves the request waiting, and keeps what was filled in, but for secrets, for the next time. */
export function setAside(shell: Shell): void {
	keepDraft(shell);
	closeSheet(shell);
}

/** Keeps what is filled in, and forgets that of requests which wait no more. */
function keepDraft(shell: Shell): void {
	const {drafts} = shell.view.get();
	const {id, step} = approvalSheet.now(shell)?.sheet ?? {};
	if (id !== undefined && step?.kind === 'form') {
		const waiting = new Set(shell.port.getState().approvals.map(one => one.id));
		const kept = [...drafts].filter(([other]) => waiting.has(other));
		change(shell, {drafts: new Map([...kept, [id, withoutMasked(step.form)]])});
	}
}

/** Shows the next request that waits, or the one before; it begins anew like any sheet that is opened: nothing of it may be allowed before it was seen. */
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

/**
 * What was answered leaves the screen; the next request comes in its place, the oldest first, unless a pane asked for this one alone. Keys that are on
 * their way were meant for the one that was answered.
 */
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
 * Whether this key press may allow what is asked: it came alone, half a second after its last row came on the screen, and not amid other typing.
 * A press that may not says why, and puts the next one off.
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

/** Says why a press allowed nothing: for a moment in the last row, and on the sheet until another key is pressed. */
export function refuse(shell: Shell, why: Safe): void {
	changeSheet(shell, {refused: why});
	shell.toast(why, 'warn');
}

/** Why a press was not taken for a yes. */
export const tooEarly = literal(
	'Too early: wait half a second after the last key, then press one alone',
);

/** Forgets which rows were seen: the terminal has another size, and its rows were laid out anew. */
export function forgetShown(shell: Shell): void {
	shell.guard.asked();
	changeSheet(shell, {seen: {}});
}

/** What lies there in place of a sheet that something was being typed into: the rest of it is for no pane. */
export const taken = dialogState<{readonly text: Safe}>('taken');

/** Closes the sheet of a request that was settled elsewhere, or became void; says how. */
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
