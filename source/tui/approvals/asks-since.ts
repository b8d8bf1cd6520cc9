import type {ApprovalRule, ToolApproval} from '../../core/approval.ts';
import {whyNotCovered} from '../../core/approvals/why-not-covered.ts';
import {derive} from '../../core/derive.ts';
import type {Safe} from '../../core/untrusted.ts';

/** Why none of the standing rules decided a call that waits; found out once for the rules as they are, for the sheet counts ten times a second. */
export const asksSince = derive(
	(approval: ToolApproval, rules: readonly ApprovalRule[]): readonly Safe[] =>
		approval.decision ? [] : whyNotCovered(approval, rules),
);
