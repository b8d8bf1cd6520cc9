import type {ApprovalRule, ToolApproval} from '../../core/approval.ts';
import {whyNotCovered} from '../../core/approvals/why-not-covered.ts';
import type {Safe} from '../../core/untrusted.ts';

type Known = {readonly rules: readonly ApprovalRule[]; readonly reasons: readonly Safe[]};

const known = new WeakMap<ToolApproval, Known>();

/** Why none of the standing rules decided a call that waits; found out once for the rules as they are, for the sheet counts ten times a second. */
export function asksSince(approval: ToolApproval, rules: readonly ApprovalRule[]): readonly Safe[] {
	const last = known.get(approval);
	if (last?.rules === rules) {
		return last.reasons;
	}

	const reasons = approval.decision ? [] : whyNotCovered(approval, rules);
	known.set(approval, {rules, reasons});
	return reasons;
}
