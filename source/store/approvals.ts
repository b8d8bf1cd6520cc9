import type {DatabaseSync} from 'node:sqlite';
import type {Approval, ApprovalRule} from '../core/approval.ts';
import {
	type LastAllowed,
	type NewApproval,
	type NewRule,
	type ToolKey,
	keptApproval,
} from '../core/approvals/why-not-covered.ts';
import {type OnBroken, readRows} from './broken-rows.ts';
import {
	integerOf,
	jsonOf,
	nullableText,
	textOf,
	nullableInteger,
	optional,
	type Row,
	pageOf,
} from './columns.ts';
import type {StoreParts} from './parts.ts';
import type {StoredApprovals} from './port.ts';
import {maxSettledApprovals} from './rules.ts';

/** `StoredApprovals` on SQLite. */
export function createStoredApprovals(
	database: DatabaseSync,
	{
		commit,
		steps,
		publish,
		owner,
		onBroken,
	}: Pick<StoreParts, 'commit' | 'onBroken' | 'publish'> & {
		readonly steps: ApprovalSteps;
		/** Asked all that waits: what others had asked was denied when they ended. */
		readonly owner: string;
	},
): StoredApprovals {
	const waiting = database.prepare(
		'select id, data from approval indexed by approval_waiting where settled_at is null order by id limit ?',
	);
	return {
		...createApprovalReader(database, onBroken),
		waiting: async limit =>
			readRows(waiting.all(pageOf(limit)), row => ({approval: approvalOfRow(row), owner}), {
				table: 'approval',
				onBroken,
			}),
		add: async approval => commit.write(() => steps.add(approval)),
		async settle(approval, rule) {
			const kept = await commit.write(() => steps.settle(approval, rule));
			publish({kind: 'approval-settled', id: approval.id});
			if (rule) {
				publish({kind: 'approval-rules-changed'});
			}

			return kept;
		},
		lastAllowed: async tool => steps.lastAllowed(tool),
		async addRule(rule) {
			const id = await commit.write(() => steps.addRule(rule));
			publish({kind: 'approval-rules-changed'});
			return id;
		},
		async changeRule(id, rule) {
			await commit.write(() => steps.changeRule(id, rule));
			publish({kind: 'approval-rules-changed'});
		},
		async removeRules(ids) {
			await commit.write(() => steps.removeRules(ids));
			publish({kind: 'approval-rules-changed'});
		},
	};
}

/** What stands in the place of the server of a built-in tool; no server is called so. */
export const builtIn = '';

/** What happens to approvals and rules, inside a transaction. */
export type ApprovalSteps = {
	add(approval: NewApproval): number;
	settle(approval: Approval, rule?: NewRule): Approval;
	addRule(rule: NewRule): number;
	changeRule(id: number, rule: NewRule): void;
	removeRules(ids: readonly number[]): void;
	lastAllowed(tool: ToolKey): LastAllowed | undefined;
};

export function createApprovalSteps(database: DatabaseSync): ApprovalSteps {
	const insert = database.prepare('insert into approval (settled_at, data) values (?, ?)');
	const update = database.prepare('update approval set settled_at = ?, data = ? where id = ?');
	const earlier = database.prepare(
		'select id, data from approval where id = ? and settled_at is not null',
	);
	const trim = database.prepare('delete from approval where id <= ? and settled_at is not null');
	const insertRule = database.prepare('insert into approval_rule (data) values (?)');
	const countUse = database.prepare(
		`update approval_rule set uses = uses + 1, data = json_set(data, '$.usedAt', ?) where id = ?`,
	);
	const changeRule = database.prepare(
		`update approval_rule set data = json_patch(?, json_object('usedAt', data ->> 'usedAt')) where id = ?`,
	);
	const removeRule = database.prepare('delete from approval_rule where id = ?');
	const allowed = database.prepare(
		`insert into approval_tool (profile, server, tool, definition, args) values (?, ?, ?, ?, ?)
		on conflict do update set definition = excluded.definition, args = excluded.args`,
	);
	const last = database.prepare(
		'select definition, args from approval_tool where profile = ? and server = ? and tool = ?',
	);

	/** What the next call of the tool is compared with. Arguments that were too large to be kept are `null`, as those that are null. */
	const remember = (approval: NewApproval) => {
		if (approval.kind === 'tool' && approval.decision?.outcome === 'allowed') {
			const {tool, args} = approval;
			const kept = args === null ? null : JSON.stringify(args);
			allowed.run(tool.profile, tool.server ?? builtIn, tool.tool, tool.definition, kept);
		}
	};

	const addRule = (rule: NewRule): number =>
		integerOf(insertRule.run(JSON.stringify(rule)).lastInsertRowid);

	const settle = (approval: Approval, rule?: NewRule): Approval => {
		const row = earlier.get(approval.id);
		if (row) {
			return approvalOfRow(row);
		}

		const {decision} = approval;
		const made = rule && addRule(rule);
		const settled =
			decision && made !== undefined
				? {...approval, decision: {...decision, rule: made}}
				: approval;
		if (made === undefined && decision?.rule !== undefined) {
			countUse.run(decision.at, decision.rule);
		}

		const kept = keptApproval(settled);
		update.run(decision?.at ?? null, JSON.stringify({...kept, id: undefined}), approval.id);
		remember(kept);
		return kept;
	};

	return {
		add(approval) {
			// The number is given by the row; what is kept does not depend on it.
			const {id: _, ...kept} = keptApproval({...approval, id: 0});
			const {decision} = kept;
			const id = integerOf(insert.run(decision?.at ?? null, JSON.stringify(kept)).lastInsertRowid);
			if (decision?.rule !== undefined) {
				countUse.run(decision.at, decision.rule);
			}

			remember(kept);
			trim.run(id - maxSettledApprovals);
			return id;
		},
		settle,
		addRule,
		changeRule: (id, rule) => changeRule.run(JSON.stringify(rule), id),
		removeRules(ids) {
			for (const id of ids) {
				removeRule.run(id);
			}
		},
		lastAllowed({profile, server, tool}) {
			const row = last.get(profile, server ?? builtIn, tool);
			const args = row && nullableText(row['args']);
			return (
				row && {
					definition: textOf(row['definition']),
					...(args !== null && {args: jsonOf(row['args'])}),
				}
			);
		},
	};
}

/** Reads approvals and rules; needs no write access. */
export function createApprovalReader(
	database: DatabaseSync,
	onBroken: OnBroken,
): Pick<StoredApprovals, 'get' | 'settled' | 'rules'> {
	const one = database.prepare('select id, data from approval where id = ?');
	const settled = database.prepare(
		`select id, data from approval where id <= ${Number.MAX_SAFE_INTEGER} and settled_at is not null and (?1 is null or iif(json_valid(data), data ->> 'profile', null) = ?1) order by id desc limit ?2`,
	);
	const rules = database.prepare('select id, uses, data from approval_rule order by id');
	return {
		async get(id) {
			const row = one.get(id);
			return readRows(row ? [row] : [], approvalOfRow, {table: 'approval', onBroken})[0];
		},
		settled: async ({profile = null, limit}) =>
			readRows(settled.all(profile, pageOf(limit)), approvalOfRow, {table: 'approval', onBroken}),
		rules: async () => readRows(rules.all(), ruleOfRow, {table: 'approval_rule', onBroken}),
	};
}

/** @throws Error for what is no object: a person, or another version, has changed the row */
function objectOf<Value>(value: Value): Value {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new TypeError('the row holds no object');
	}

	return value;
}

/** An approval from its row. @throws Error for what is no object */
export const approvalOfRow = (row: Row): Approval => ({
	...objectOf(jsonOf<Approval>(row['data'])),
	id: integerOf(row['id']),
});

/** A rule from its row. Errors as of `approvalOfRow`. */
export const ruleOfRow = (row: Row): ApprovalRule => ({
	...objectOf(jsonOf<ApprovalRule>(row['data'])),
	id: integerOf(row['id']),
	uses: integerOf(row['uses']),
	...optional('usedAt', nullableInteger(row['used_at'])),
});
