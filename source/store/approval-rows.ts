import type {Approval, ApprovalRule} from '../core/approval.ts';
import {integerOf, jsonOf, type Row} from './columns.ts';

/** An approval from its row. */
export const approvalOfRow = (row: Row): Approval => ({
	...jsonOf<Approval>(row['data']),
	id: integerOf(row['id']),
});

/** A rule from its row. */
export const ruleOfRow = (row: Row): ApprovalRule => ({
	...jsonOf<ApprovalRule>(row['data']),
	id: integerOf(row['id']),
	uses: integerOf(row['uses']),
});
