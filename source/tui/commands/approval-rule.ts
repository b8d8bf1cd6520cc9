import type {ToolApproval} from '../../core/approval.ts';
import {linesByHand} from '../../core/approvals/rule-keys.ts';
import type {Safe} from '../../core/untrusted.ts';
import {lineText} from '../../terminal/text/line-editor.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys, type ListedCommand} from '../acts/command.ts';
import {copying} from '../acts/copy.ts';
import {answer, callNow, isOffered, sheetStep} from '../acts/settle.ts';
import {goToStep} from '../acts/sheet.ts';
import {
	answerOfRule,
	type RuleChoice,
	ruleKeys,
	withNextChoice,
	withOtherFolder,
} from '../approvals/rule-step.ts';
import type {Shell} from '../shell/shell.ts';

/** Changes the rule's requirement for the argument under the cursor. */
function changeKey(
	shell: Shell,
	next: (call: ToolApproval, choice: RuleChoice, key: string) => RuleChoice,
): void {
	const step = sheetStep(shell, 'rule');
	const call = callNow(shell);
	const key = call && step && ruleKeys(call)[step.cursor];
	if (call && step && key !== undefined) {
		goToStep(shell, {...step, ...next(call, step, key)});
	}
}

const otherFolder = (key: string, isWider: boolean, label: Safe): ListedCommand =>
	onKeys([`approval.rule-${isWider ? 'wider' : 'nearer'}`, key], label, {
		quiet: true,
		when: shell => sheetStep(shell, 'rule') !== undefined && callNow(shell)?.lasting !== undefined,
		run: shell =>
			changeKey(shell, (call, choice, name) => withOtherFolder(call, choice, {key: name, isWider})),
	});

/** The initial rule. For a destructive tool it covers nothing yet: the person has to choose. */
const firstChoice = (call: ToolApproval | undefined): RuleChoice => ({
	args: call?.lasting?.isBound ? 'keys' : 'any',
	keys: new Map(),
});

const covering = (key: string, args: 'any' | 'exact' | 'keys', label: Safe): ListedCommand =>
	onKeys([`approval.rule-${args}`, key], label, {
		quiet: true,
		when: shell =>
			sheetStep(shell, 'rule') !== undefined &&
			(args !== 'any' || callNow(shell)?.lasting?.isBound !== true),
		run(shell) {
			const step = sheetStep(shell, 'rule');
			if (step) {
				goToStep(shell, {...step, args});
			}
		},
	});

/** The lines to write by hand, if no face may make the rule. */
const linesNow = (shell: Shell): readonly string[] | undefined => {
	const call = callNow(shell);
	return call && !call.scopes.includes('always') ? linesByHand(call) : undefined;
};

/** Keys for lasting rules, and for the step that builds one. */
export const ruleCommands: readonly ListedCommand[] = [
	onKeys(['approval.rule', 'v'], literal('always allow: shows the rule first'), {
		quiet: true,
		when(shell) {
			const call = callNow(shell);
			return (
				sheetStep(shell, 'choose') !== undefined &&
				isOffered(shell, 'always') &&
				(call?.lasting !== undefined || call?.mustTypeName === false)
			);
		},
		run: shell => goToStep(shell, {kind: 'rule', ...firstChoice(callNow(shell)), cursor: 0}),
	}),
	onKeys(['approval.by-hand', 'v'], literal('always allow: what to write into config.yaml'), {
		quiet: true,
		when: shell =>
			sheetStep(shell, 'choose') !== undefined &&
			callNow(shell) !== undefined &&
			(linesNow(shell) !== undefined || !isOffered(shell, 'always')),
		why: shell =>
			linesNow(shell) === undefined
				? callNow(shell)?.tool.why === undefined
					? literal('No lasting rule for this: chats make none, new or destroying tools neither')
					: literal('No lasting rule for this: without a sandbox each call asks')
				: undefined,
		run: shell => goToStep(shell, {kind: 'by-hand'}),
	}),
	onKeys(['approval.by-hand-back', 'v'], literal('back to the choice'), {
		quiet: true,
		when: shell => sheetStep(shell, 'by-hand') !== undefined,
		run: shell => goToStep(shell, {kind: 'choose'}),
	}),
	onKeys(['approval.copy-lines', 'y'], literal('copy the lines'), {
		when: shell => sheetStep(shell, 'by-hand') !== undefined,
		run: copying(literal('lines'), shell => linesNow(shell)?.concat('').join('\n')),
	}),
	covering('1', 'any', literal('a rule for any arguments')),
	covering('2', 'exact', literal('a rule for exactly these arguments')),
	covering('3', 'keys', literal('a rule for what is equal in the marked arguments')),
	onKeys(['approval.rule-mark', 'space'], literal('mark the argument'), {
		when: shell => sheetStep(shell, 'rule') !== undefined,
		run: shell => changeKey(shell, withNextChoice),
	}),
	otherFolder('<', true, literal('a wider folder')),
	otherFolder('>', false, literal('a folder nearer to the path')),
	onKeys(['approval.always', 'A'], literal('store the rule and allow'), {
		changes: true,
		quiet: true,
		isGuarded: true,
		when: shell => sheetStep(shell, 'rule') !== undefined && isOffered(shell, 'always'),
		run(shell) {
			const step = sheetStep(shell, 'rule');
			const call = callNow(shell);
			const rule = step && call && answerOfRule(call, step);
			if (!rule) {
				shell.toast(literal('The tool may destroy: mark what the rule is for, or press 2'), 'warn');
			} else if (call.lasting?.isBound) {
				goToStep(shell, {kind: 'name', scope: 'always', rule, text: lineText()});
			} else {
				answer(shell, {choice: 'allow', scope: 'always', ...rule});
			}
		},
	}),
];
