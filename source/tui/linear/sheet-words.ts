import {sheetNow, type OpenSheet} from '../acts/sheet.ts';
import type {Shell} from '../shell/shell.ts';
import type {Asked, Choice} from './asked.ts';
import {choicesIn} from './choices.ts';

/** What is typed for each act of the sheet. */
export const sheetWords: Readonly<Record<string, string>> = {
	'approval.once': 'allow',
	'approval.run': 'allow run',
	'approval.process': 'allow process',
	'approval.rule': 'always',
	'approval.by-hand': 'always',
	'approval.by-hand-back': 'back',
	'approval.deny': 'deny',
	'approval.reason': 'deny reason',
	'approval.deny-all': 'deny all',
	'approval.deny-all-now': 'deny all',
	'approval.extend': 'wait',
	'approval.copy': 'copy',
	'approval.pager': 'pager',
	'approval.copy-lines': 'copy',
	'approval.rule-any': 'any',
	'approval.rule-exact': 'exact',
	'approval.rule-keys': 'marked',
	'approval.always': 'store',
	'approval.back': 'back',
	'approval.leave': 'leave',
	'approval-text.back': 'back',
};

/** How the open sheet looks now. */
export const layoutOf = (shell: Shell) => sheetNow(shell)?.layout();

/** Choices that their words alone choose. */
export const exactly = (choices: readonly Choice[]): readonly Choice[] =>
	choices.map(choice => ({...choice, isExact: true}));

/** What every step of the sheet has. */
export function base(shell: Shell, {sheet}: OpenSheet): Pick<Asked, 'of' | 'choices'> {
	return {
		of: ['approval', sheet.id, sheet.step.kind],
		choices: exactly(choicesIn(shell, 'approval', sheetWords)),
	};
}
