import type {ApprovalAnswer, ApprovalScope, ToolApproval} from '../../core/approval.ts';
import {askedFor, outcomeSentences} from '../../nouns/approval/approval-words.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {offeredScopes, type SheetStep} from '../approvals/sheet.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {approvalSheet, leaveSheet, sheetNow} from './sheet.ts';

/** The step of the open sheet, when it is of this kind. */
export function stepOf<Kind extends SheetStep['kind']>(
	shell: Shell,
	kind: Kind,
): Extract<SheetStep, {kind: Kind}> | undefined {
	const step = approvalSheet.now(shell)?.sheet.step;
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind was compared
	return step?.kind === kind ? (step as Extract<SheetStep, {kind: Kind}>) : undefined;
}

/** Sends an answer; what is next comes at once, the outcome as a toast. */
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
				safe`${askedFor(approval)}: ${given.choice === 'deny' ? literal('denied') : given.choice === 'allow' ? literal('allowed') : literal('sent')}${rest}`,
				given.choice === 'deny' ? 'warn' : 'good',
			);
		} else {
			shell.toast(
				decision
					? safe`Too late, ${outcomeSentences[decision.outcome]} (${clean(decision.by)})`
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

/** Whether a scope may be chosen for what the open sheet asks. */
export const isOffered = (shell: Shell, scope: ApprovalScope): boolean => {
	const open = sheetNow(shell);
	return open !== undefined && offeredScopes(open.approval, open.isWhole).has(scope);
};

/** Whether the open sheet asks to choose, or for a form to be filled in. */
export const isAtChoice = (shell: Shell): boolean =>
	stepOf(shell, 'choose') !== undefined || stepOf(shell, 'form') !== undefined;
