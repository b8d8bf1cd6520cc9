import type {ApprovalScope} from '../../core/approval.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {waitAct} from '../../nouns/approval/approval.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type IdAndKeys, type ListedCommand} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {sheetScrolling} from '../acts/seen-sheet.ts';
import {answer, callNow, denyAll, isAtChoice, isOffered, sheetStep} from '../acts/settle.ts';
import {
	approvalSheet,
	changeSheet,
	goToStep,
	scrollSheet,
	sheetNow,
	turnSheet,
	refuse,
	setAside,
} from '../acts/sheet.ts';
import {pagedText} from '../approvals/paged-text.ts';
import {ruleKeys} from '../approvals/rule-step.ts';
import {foundInEvent} from '../approvals/sheet.ts';
import type {Shell} from '../shell/shell.ts';
import {ruleCommands} from './approval-rule.ts';

function allowNamed(shell: Shell): void {
	const step = sheetStep(shell, 'name');
	const call = callNow(shell);
	if (!step || !call) {
		return;
	}

	if (step.text.value === call.tool.tool) {
		answer(shell, {
			choice: 'allow',
			scope: step.scope,
			...step.rule,
			typedName: step.text.value,
		});
	} else {
		refuse(shell, safe`Not allowed: its name is ${escapeLine(call.tool.tool)}`);
	}
}

const isElsewhere = (shell: Shell): boolean => !isAtChoice(shell);

function back(shell: Shell): void {
	const form = sheetStep(shell, 'deny-all')?.form;
	goToStep(shell, form ? {kind: 'form', form} : {kind: 'choose'});
}

/** Keys that leave the sheet, and those that hold beside a text. */
const waysOut: readonly ListedCommand[] = [
	onKeys(['approval.back', 'esc', 'ctrl+c'], literal('back to the choice'), {
		when: isElsewhere,
		run: back,
	}),
	onKeys(['approval.leave', 'esc', 'ctrl+c', 'q'], literal('leave it waiting'), {
		when: isAtChoice,
		run: setAside,
	}),
	onKeys(['approval-text.allow', 'enter'], literal('allow, when the name is right'), {
		changes: true,
		scope: 'approval-text',
		isGuarded: true,
		when: shell => sheetStep(shell, 'name') !== undefined,
		run: allowNamed,
	}),
	onKeys(['approval-text.deny', 'enter'], literal('deny and tell the agent'), {
		changes: true,
		scope: 'approval-text',
		when: shell => sheetStep(shell, 'reason') !== undefined,
		run(shell) {
			const reason = sheetStep(shell, 'reason')?.text.value.trim() ?? '';
			answer(shell, {choice: 'deny', ...(reason !== '' && {reason})});
		},
	}),
	onKeys(['approval-text.back', 'esc', 'ctrl+c'], literal('back to the choice'), {
		scope: 'approval-text',
		when: shell => sheetStep(shell, 'form') === undefined,
		run: back,
	}),
];

/** Allows at once, or first asks for the tool's name to be typed where required. */
function allow(shell: Shell, scope: ApprovalScope): void {
	const call = callNow(shell);
	if (!call || !isOffered(shell, scope)) {
		return;
	}

	if (call.mustTypeName) {
		goToStep(shell, {kind: 'name', scope, text: lineText()});
	} else {
		answer(shell, {choice: 'allow', scope});
	}
}

const allowing = (
	key: string,
	scope: Exclude<ApprovalScope, 'always'>,
	label: Safe,
): ListedCommand =>
	onKeys([`approval.${scope}`, key], label, {
		changes: true,
		quiet: true,
		isGuarded: true,
		when: shell => sheetStep(shell, 'choose') !== undefined && isOffered(shell, scope),
		run: shell => allow(shell, scope),
	});

function page(shell: Shell): void {
	const {approval} = sheetNow(shell) ?? {};
	if (!approval) {
		return;
	}

	shell.attempt(async () => {
		const {fromEvent} = foundInEvent(shell, approval.id);
		await shell.desktop.page(pagedText(approval, fromEvent));
		// Back from the pager the sheet must be drawn again, and keys typed for the pager must not count.
		shell.guard.asked();
		if (approvalSheet.now(shell)?.sheet.id === approval.id) {
			changeSheet(shell, {wasPaged: true});
		}
	});
}

function extend(shell: Shell): void {
	const {approval} = sheetNow(shell) ?? {};
	if (approval) {
		shell.attempt(async () => {
			const later = await waitAct.effect(shell.port, String(approval.id), {spanMs: 0});
			shell.toast(escapeLine(later?.said ?? 'It waits no more'), later ? 'good' : 'warn');
		});
	}
}

/** Turns to another waiting request without answering. The new one is guarded as if newly opened. */
const turning = (keys: IdAndKeys, label: Safe, step: 1 | -1): ListedCommand =>
	onKeys(keys, label, {
		quiet: step === -1,
		when: shell => isAtChoice(shell) && shell.port.getState().approvals.length > 1,
		run: shell => turnSheet(shell, step),
	});

/** Keys of the sheet at its choices. */
const choiceCommands: readonly ListedCommand[] = [
	allowing('a', 'once', literal('allow this one call')),
	allowing('r', 'run', literal('allow the tool until its run ends')),
	allowing('s', 'process', literal('allow the tool until svc stops')),
	onKeys(['approval.deny', 'd'], literal('deny'), {
		changes: true,
		quiet: true,
		when: isAtChoice,
		run: shell => answer(shell, {choice: 'deny'}),
	}),
	onKeys(['approval.reason', 'm'], literal('deny and tell the agent why'), {
		changes: true,
		quiet: true,
		when: shell => sheetStep(shell, 'choose') !== undefined,
		run: shell => goToStep(shell, {kind: 'reason', text: lineText()}),
	}),
	onKeys(['approval.deny-all', 'D'], literal('deny all (asks)'), {
		changes: true,
		quiet: true,
		when: isAtChoice,
		run(shell) {
			const form = sheetStep(shell, 'form')?.form;
			goToStep(shell, {kind: 'deny-all', ...(form && {form})});
		},
	}),
	onKeys(['approval.deny-all-now', 'D'], literal('deny all that wait: the second D'), {
		changes: true,
		when: shell => sheetStep(shell, 'deny-all') !== undefined,
		run: denyAll,
	}),
	onKeys(['approval.extend', 'w'], literal('wait 5 min longer'), {
		changes: true,
		quiet: true,
		when: isAtChoice,
		run: extend,
	}),
	onKeys(['approval.copy', 'y'], literal('copy arguments'), {
		when: shell => sheetStep(shell, 'choose') !== undefined,
		run: copying(literal('arguments'), shell => {
			const call = callNow(shell);
			return call && JSON.stringify(call.args, undefined, 2);
		}),
	}),
	onKeys(['approval.pager', 'e'], literal('open in $PAGER'), {when: isAtChoice, run: page}),
	turning(['approval.next', 'n'], literal('next request'), 1),
	turning(['approval.previous', 'N'], literal('request before'), -1),
];

function scroll(shell: Shell, rows: number): void {
	const {sheet, approval} = sheetNow(shell) ?? {};
	if (sheet?.step.kind === 'rule') {
		const {step} = sheet;
		const last = approval?.kind === 'tool' ? ruleKeys(approval).length - 1 : 0;
		goToStep(shell, {...step, cursor: Math.max(0, Math.min(last, step.cursor + rows))});
	} else {
		scrollSheet(shell, rows);
	}
}

const {moving, inText} = sheetScrolling('approval', scroll, {
	layoutOf: shell => sheetNow(shell)?.layout(),
	hint: 'down',
	// In a form, keys move between its fields; page keys still scroll.
	whenRows: shell => sheetStep(shell, 'form') === undefined,
});

/** Keys of the approval sheet. Those that allow are guarded, see `mayAllow`. */
export const approvalSheetCommands: readonly ListedCommand[] = [
	...choiceCommands,
	...moving,
	...ruleCommands,
	...inText,
	...waysOut,
];
