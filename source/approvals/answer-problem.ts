import type {Approval, ApprovalAnswer, RuleKey, ToolApproval} from '../core/approval.ts';
import {contentProblem} from '../core/approvals/content-problem.ts';
import {
	areAsKeysSay,
	keysText,
	maxRuleKeys,
	resolvedKeys,
	writtenKeys,
} from '../core/approvals/rule-keys.ts';
import {isJsonObject} from '../core/json.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Why an answer is invalid for a request; `undefined`: it is valid. The text holds no value of a form. */
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
				? contentProblem(approval.fields, answer.content)
				: 'it is a call, which is allowed or denied';
	}
}

type Allow = Extract<ApprovalAnswer, {readonly choice: 'allow'}>;

function allowProblem(approval: ToolApproval, answer: Allow): string | undefined {
	const {scopes, mustTypeName, tool, args} = approval;
	if (!scopes.includes(answer.scope)) {
		return `"${answer.scope}" is not offered for it: use ${scopes.map(scope => `"${scope}"`).join(' or ')}`;
	}

	if (mustTypeName && answer.typedName !== tool.tool) {
		return 'the name of the tool must be typed';
	}

	const problem = lastingProblem(approval, answer);
	if (problem !== undefined) {
		return problem;
	}

	const keys = typeof answer.args === 'object' ? answer.args : undefined;
	if (keys && (keys.length === 0 || keys.length > maxRuleKeys)) {
		return `a rule compares 1 to ${maxRuleKeys} arguments`;
	}

	return keys?.every(key => isJsonObject(args) && Object.hasOwn(args, key)) === false
		? 'it has no argument of a name that the rule is to compare'
		: undefined;
}

/**
 * Why an answer is invalid for a lasting rule; `undefined`: it is valid. `when` is only for lasting rules, in place of `args`. For a tool that may be destructive the rule must
 * limit the arguments, by `when` or by `args: 'exact'`, and the name of the tool must be typed.
 */
function lastingProblem(
	{lasting, tool}: ToolApproval,
	{scope, args, when, typedName}: Allow,
): string | undefined {
	if (when !== undefined && (scope !== 'always' || !lasting || args !== undefined)) {
		return '"when" is for a rule that lasts, for the runs of a job, and stands in for "args"';
	}

	if (scope !== 'always' || !lasting?.isBound) {
		return undefined;
	}

	if (typedName !== tool.tool) {
		return 'the tool may destroy: its name must be typed';
	}

	return when === undefined && args !== 'exact'
		? 'the tool may destroy: a rule that lasts covers exactly these arguments, or some of them by "when"'
		: undefined;
}

/** Parses `when` of an answer. `problem`: why there can be no such rule, also because it would not cover this very call. */
export async function whenKeys(
	approval: Approval,
	answer: ApprovalAnswer,
	{userHome, closedFolders}: {readonly userHome: string; readonly closedFolders: readonly string[]},
): Promise<{readonly keys?: readonly RuleKey[]} | {readonly problem: string}> {
	if (approval.kind !== 'tool' || answer.choice !== 'allow' || answer.when === undefined) {
		return {};
	}

	const written = writtenKeys(answer.when, userHome);
	if ('problem' in written) {
		return {problem: `${JSON.stringify(escapeLine(written.key, 100))} ${written.problem}`};
	}

	const read = await resolvedKeys(written.keys);
	if ('unclear' in read) {
		return {problem: `it cannot be told where "${escapeLine(read.unclear, 200)}" leads to`};
	}

	const {keys} = read;
	const problem = `this call is not one with ${keysText(keys)}: a path is absolute and plain, and the schema of the tool names every argument`;
	return (await areAsKeysSay(keys, approval, closedFolders)) ? {keys} : {problem};
}
