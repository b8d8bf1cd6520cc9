import type {ApprovalAnswer, ApprovalScope, ToolApproval} from '../../core/approval.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {askedFor, outcomeSentences} from '../../nouns/approval/approval-words.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {offeredScopes, type SheetStep} from '../approvals/sheet.ts';
import {entryList} from '../entries/lists.ts';
import type {Shell} from '../shell/shell.ts';
import {openPane} from './navigate.ts';
import {approvalSheet, closeSheet, leaveSheet, openSheet, sheetNow} from './sheet.ts';

/** The step of the open sheet, if it is of this kind. */
export function sheetStep<Kind extends SheetStep['kind']>(
	shell: Shell,
	kind: Kind,
): Extract<SheetStep, {kind: Kind}> | undefined {
	const step = approvalSheet.now(shell)?.sheet.step;
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind was compared
	return step?.kind === kind ? (step as Extract<SheetStep, {kind: Kind}>) : undefined;
}

const answerWords = {deny: literal('denied'), allow: literal('allowed'), submit: literal('sent')};

/** Sends an answer. The next request is shown at once; a toast reports the outcome. */
export function answer(shell: Shell, given: ApprovalAnswer): void {
	const open = sheetNow(shell);
	if (!open) {
		return;
	}

	const {approval} = open;
	const {id} = approval;
	const isBack = open.sheet.only === id;
	leaveSheet(shell, id);
	shell.attempt(async () => {
		const result = await shell.port.settleApproval(id, {answer: given, by: shell.by});
		const decision = result.approval?.decision;
		if (result.settled) {
			const others = shell.port.getState().approvals.filter(one => one.id !== id).length;
			const rest =
				isBack && others > 0
					? safe`; ${others} more ${others === 1 ? literal('waits') : literal('wait')}`
					: literal('');
			shell.toast(
				safe`${askedFor(approval)}: ${answerWords[given.choice]}${rest}`,
				given.choice === 'deny' ? 'warn' : 'good',
			);
		} else {
			shell.toast(
				decision
					? safe`Too late, ${outcomeSentences[decision.outcome]} (${escapeLine(decision.by)})`
					: literal('Too late: it waits no more'),
				'warn',
			);
		}
	});
}

/** The call that the open sheet asks about. */
export function callNow(shell: Shell): ToolApproval | undefined {
	const {approval} = sheetNow(shell) ?? {};
	return approval?.kind === 'tool' ? approval : undefined;
}

/** Whether the open sheet offers this scope. */
export const isOffered = (shell: Shell, scope: ApprovalScope): boolean => {
	const open = sheetNow(shell);
	return open !== undefined && offeredScopes(open.approval, open.isWhole).has(scope);
};

/** Whether the open sheet is at its choices or at a form. */
export const isAtChoice = (shell: Shell): boolean =>
	sheetStep(shell, 'choose') !== undefined || sheetStep(shell, 'form') !== undefined;

/** Denies all waiting requests, one after the other. */
export function denyAll(shell: Shell): void {
	const {approvals} = shell.port.getState();
	closeSheet(shell);
	shell.guard.gone();
	shell.attempt(async () => {
		// A request that cannot be settled must not hide how many were.
		const results = await Promise.allSettled(
			approvals.map(async ({id}) =>
				shell.port.settleApproval(id, {answer: {choice: 'deny'}, by: shell.by}),
			),
		);
		const failed = results.filter(result => result.status === 'rejected');
		const answered = results.filter(result => result.status === 'fulfilled');
		const denied = answered.filter(({value}) => value.settled).length;
		const [first] = failed;
		if (first) {
			shell.toast(
				safe`${denied} denied, ${failed.length} could not be: ${escapeLine(messageOf(first.reason))}`,
				'bad',
			);
		} else {
			shell.toast(safe`${denied} denied`, 'warn');
		}
	});
}

/** Opens the request selected in the pane, and returns to the pane once it is answered. Without a selection, opens all waiting requests in turn. */
export function reviewOne(shell: Shell): void {
	const chosen = shell.pane().waiting?.(shell);
	const waiting = shell.port.getState().approvals.find(({id}) => id === chosen?.id);
	if (waiting) {
		openSheet(shell, waiting, waiting.id);
	} else {
		review(shell);
	}
}

/** Opens all waiting requests in turn, beginning with the selected one, else the oldest. If none wait, opens the pane of approvals. */
export function review(shell: Shell): void {
	const {approvals} = shell.port.getState();
	const chosen = shell.pane().waiting?.(shell);
	const next = approvals.find(({id}) => id === chosen?.id) ?? approvals[0];
	if (next) {
		openSheet(shell, next);
	} else {
		openPane(shell, entryList.id);
	}
}
