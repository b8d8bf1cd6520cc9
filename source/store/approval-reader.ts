import type {DatabaseSync} from 'node:sqlite';
import type {Approval, ApprovalRule} from '../core/approval.ts';
import {isJsonObject} from '../core/json.ts';
import {integerOf, jsonOf, nullableInteger, optional, readJson, type Row} from './columns.ts';
import {pageOf} from './newest-first.ts';
import type {StoredApprovals} from './port.ts';

/** Reads approvals and rules; needs no write access. */
export function createApprovalReader(
	database: DatabaseSync,
): Pick<StoredApprovals, 'get' | 'settled' | 'rules'> {
	const one = database.prepare('select id, data from approval where id = ?');
	const settled = database.prepare(
		`select id, data from approval where id <= ${Number.MAX_SAFE_INTEGER} and settled_at is not null and (?1 is null or data ->> 'profile' = ?1) order by id desc limit ?2`,
	);
	const rules = database.prepare('select id, uses, data from approval_rule order by id');
	return {
		async get(id) {
			const row = one.get(id);
			return row && approvalOfRow(row);
		},
		settled: async ({profile = null, limit}) =>
			settled.all(profile, pageOf(limit)).map(approvalOfRow),
		rules: async () => rules.all().map(ruleOfRow),
	};
}

/** Whether the row of an approval or a rule holds an object: another program may have changed it, and then it takes no other along. */
export const isReadable = (row: Row): boolean => isJsonObject(readJson<unknown>(row['data']));

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
	...optional('usedAt', nullableInteger(row['used_at'])),
});
