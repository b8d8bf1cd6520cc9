import type {Approval, ApprovalAnswer, RuleKey} from '../core/approval.ts';
import {refusedBy} from './denials.ts';
import {ruleOf} from './rules.ts';
import type {Choice} from './ticket.ts';

/** What an answer decides. `answerProblem` has found nothing wrong with it; `keys` is what its `when` means. */
export function choiceOf(
	approval: Approval,
	answer: ApprovalAnswer,
	{at, by, keys}: {readonly at: number; readonly by: string; readonly keys?: readonly RuleKey[]},
): Choice {
	switch (answer.choice) {
		case 'deny':
			return {decision: refusedBy(by, at, answer.reason)};

		case 'submit':
			return {decision: {outcome: 'allowed', at, by, scope: 'once'}, content: answer.content};

		case 'allow': {
			const making = {at, by, ...(keys && {keys})};
			const rule = approval.kind === 'tool' ? ruleOf(approval, answer, making) : undefined;
			return {
				decision: {outcome: 'allowed', at, by, scope: answer.scope},
				...(rule && {rule}),
			};
		}
	}
}
