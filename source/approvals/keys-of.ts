import type {Approval, ApprovalAnswer, RuleKey} from '../core/approval.ts';
import {areAsKeysSay, keysText, resolvedKeys, writtenKeys} from '../core/approvals/rule-keys.ts';
import {escapeLine} from '../core/untrusted.ts';

/** What the `when` of an answer compares, none without one; or why there can be no such rule. It covers the call that it is made for. */
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
