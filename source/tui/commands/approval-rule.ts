import {literal} from '../../terminal/text/safe.ts';
import {ruleKeys} from '../approvals/sheet-content.ts';
import {ruleArgs} from '../approvals/sheet-footer.ts';
import type {Shell} from '../shell/shell.ts';
import type {Command} from './command.ts';
import {answer, callNow, isOffered, stepOf} from './settle.ts';
import {goToStep} from './sheet.ts';

function toggleKey(shell: Shell): void {
	const step = stepOf(shell, 'rule');
	const call = callNow(shell);
	const key = call && step && ruleKeys(call)[step.cursor];
	if (step && key !== undefined) {
		const keys = new Set(step.keys);
		if (!keys.delete(key)) {
			keys.add(key);
		}

		goToStep(shell, {...step, args: 'keys', keys});
	}
}

const covering = (
	key: string,
	args: 'any' | 'exact' | 'keys',
	label: Command['label'],
): Command => ({
	id: `approval.rule-${args}`,
	scope: 'approval',
	keys: [key],
	label,
	quiet: true,
	when: shell => stepOf(shell, 'rule') !== undefined,
	run(shell) {
		const step = stepOf(shell, 'rule');
		if (step) {
			goToStep(shell, {...step, args});
		}
	},
});

/** Keys of the sheet while a rule is put together. */
export const ruleCommands: readonly Command[] = [
	covering('1', 'any', literal('a rule for any arguments')),
	covering('2', 'exact', literal('a rule for exactly these arguments')),
	covering('3', 'keys', literal('a rule for what is equal in the marked arguments')),
	{
		id: 'approval.rule-mark',
		scope: 'approval',
		keys: ['space'],
		label: literal('mark the argument'),
		when: shell => stepOf(shell, 'rule') !== undefined,
		run: toggleKey,
	},
	{
		id: 'approval.always',
		scope: 'approval',
		keys: ['A'],
		label: literal('store the rule and allow'),
		quiet: true,
		isGuarded: true,
		when: shell => stepOf(shell, 'rule') !== undefined && isOffered(shell, 'always'),
		run(shell) {
			const step = stepOf(shell, 'rule');
			if (step) {
				answer(shell, {choice: 'allow', scope: 'always', args: ruleArgs(step)});
			}
		},
	},
];
