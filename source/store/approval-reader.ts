import type {DatabaseSync} from 'node:sqlite';
import {approvalOfRow, ruleOfRow} from './approval-rows.ts';
import {pageOf} from './newest-first.ts';
import type {StoredApprovals} from './port.ts';

/** Reads approvals and rules; needs no write access. */
export function createApprovalReader(
	database: DatabaseSync,
): Pick<StoredApprovals, 'get' | 'settled' | 'rules'> {
	const one = database.prepare('select id, data from approval where id = ?');
	const settled = database.prepare(
		`select id, data from approval where id <= ${Number.MAX_SAFE_INTEGER} and settled_at is not null order by id desc limit ?`,
	);
	const rules = database.prepare('select id, uses, data from approval_rule order by id');
	return {
		async get(id) {
			const row = one.get(id);
			return row && approvalOfRow(row);
		},
		settled: async limit => settled.all(pageOf(limit)).map(approvalOfRow),
		rules: async () => rules.all().map(ruleOfRow),
	};
}
