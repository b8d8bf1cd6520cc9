import type {Approval, ApprovalAnswer, FormApproval, ToolApproval} from '../approval.ts';
import {isJsonObject} from '../json.ts';
import {contentProblem} from './content-problem.ts';

/** Most top-level arguments that a rule compares. */
const maxKeys = 20;

/** Why a request does not take an answer; `undefined` when it does. Names no value that was filled in. */
export function answerProblem(approval: Approval, answer: ApprovalAnswer): string | undefined {
	switch (answer.choice) {
		case 'deny':
			return undefined;

		case 'allow':
			return approval.kind === 'tool'
				? allowProblem(approval, answer)
				: 'it is a form, which is filled in or denied';

		case 'submit':
			return approval.kind === 'form'
				? submitProblem(approval, answer)
				: 'it is a call, which is allowed or denied';
	}
}

function allowProblem(
	{scopes, mustTypeName, tool, args}: ToolApproval,
	answer: Extract<ApprovalAnswer, {readonly choice: 'allow'}>,
): string | undefined {
	if (!scopes.includes(answer.scope)) {
		return `"${answer.scope}" is not offered for it: use ${scopes.map(scope => `"${scope}"`).join(' or ')}`;
	}

	if (mustTypeName && answer.typedName !== tool.tool) {
		return 'the name of the tool must be typed';
	}

	const keys = typeof answer.args === 'object' ? answer.args : undefined;
	if (keys && (keys.length === 0 || keys.length > maxKeys)) {
		return `a rule compares 1 to ${maxKeys} arguments`;
	}

	return keys?.every(key => isJsonObject(args) && Object.hasOwn(args, key)) === false
		? 'it has no argument of a name that the rule is to compare'
		: undefined;
}

const submitProblem = (
	{fields}: FormApproval,
	{content}: Extract<ApprovalAnswer, {readonly choice: 'submit'}>,
): string | undefined => contentProblem(fields, content);
