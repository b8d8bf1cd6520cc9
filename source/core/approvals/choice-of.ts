import type {Approval, ApprovalAnswer} from '../approval.ts';
import {refusedBy} from './denials.ts';
import {ruleOf} from './rules.ts';
import type {Choice} from './ticket.ts';

/** What an answer decides. `answerProblem` has found nothing wrong with it. */
export function choiceOf(
	approval: Approval,
	answer: ApprovalAnswer,
	{at, by}: {readonly at: number; readonly by: string},
): Choice {
	switch (answer.choice) {
		case 'deny':
			return {decision: refusedBy(by, at, answer.reason)};

		case 'submit':
			return {decision: {outcome: 'allowed', at, by, scope: 'once'}, content: answer.content};

		case 'allow': {
			const rule = approval.kind === 'tool' ? ruleOf(approval, answer, {at, by}) : undefined;
			return {
				decision: {outcome: 'allowed', at, by, scope: answer.scope},
				...(rule && {rule}),
			};
		}
	}
}
