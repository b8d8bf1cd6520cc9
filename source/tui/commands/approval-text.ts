import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {onKeys, type ListedCommand} from '../acts/command.ts';
import {answer, callNow, isAtChoice, stepOf} from '../acts/settle.ts';
import {goToStep, refuse, setAside} from '../acts/sheet.ts';
import type {Shell} from '../shell/shell.ts';

function allowNamed(shell: Shell): void {
	const step = stepOf(shell, 'name');
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
	const form = stepOf(shell, 'deny-all')?.form;
	goToStep(shell, form ? {kind: 'form', form} : {kind: 'choose'});
}

/** The ways out, and the keys beside a text. */
export const waysOut: readonly ListedCommand[] = [
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
		when: shell => stepOf(shell, 'name') !== undefined,
		run: allowNamed,
	}),
	onKeys(['approval-text.deny', 'enter'], literal('deny and tell the agent'), {
		changes: true,
		scope: 'approval-text',
		when: shell => stepOf(shell, 'reason') !== undefined,
		run(shell) {
			const reason = stepOf(shell, 'reason')?.text.value.trim() ?? '';
			answer(shell, {choice: 'deny', ...(reason !== '' && {reason})});
		},
	}),
	onKeys(['approval-text.back', 'esc', 'ctrl+c'], literal('back to the choice'), {
		scope: 'approval-text',
		when: shell => stepOf(shell, 'form') === undefined,
		run: back,
	}),
];
