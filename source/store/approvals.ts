import type {DatabaseSync} from 'node:sqlite';
import type {Approval, ApprovalRule} from '../core/approval.ts';
import {type NewApproval, type NewRule, keptApproval} from '../core/approvals/keeper.ts';
import {readRows} from './broken-rows.ts';
import {integerOf, jsonOf, textOf, nullableInteger, optional, type Row, pageOf} from './columns.ts';
import type {Engine} from './engine.ts';
import type {StoreParts} from './parts.ts';
import type {StoredApprovals} from './port.ts';
import {maxSettledApprovals} from './rules.ts';

/** `StoredApprovals` on SQLite. */
export function createStoredApprovals({
	database,
	engine,
	commit,
	approvalSteps: steps,
	publish,
	owner,
	onBroken,
}: StoreParts): StoredApprovals {
	const waiting = database.prepare(
		'select id, data from approval indexed by approval_waiting where settled_at is null order by id limit ?',
	);
	const changeRule = database.prepare(
		`update approval_rule set data = json_patch(?, json_object('usedAt', data ->> 'usedAt')) where id = ?`,
	);
	const changeRules = async <Result>(task: () => Result): Promise<Result> => {
		const result = await commit.write(task);
		publish({kind: 'approval-rules-changed'});
		return result;
	};

	return {
		...createApprovalReader(engine),
		// Only this process adds waiting requests here; those of earlier processes were denied at the takeover.
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
		addRule: async rule => changeRules(() => steps.addRule(rule)),
		async changeRule(id, rule) {
			await changeRules(() => changeRule.run(JSON.stringify(rule), id));
		},
		removeRules: async ids => changeRules(() => steps.removeRules(ids)),
	};
}

/** Stands for the server of a built-in tool; no server has this name. */
export const builtIn = '';

export type ApprovalSteps = ReturnType<typeof createApprovalSteps>;

/** Changes of approvals and rules; to be called inside a transaction. */
export function createApprovalSteps(database: DatabaseSync) {
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
	const removeRule = database.prepare('delete from approval_rule where id = ?');
	const allowed = database.prepare(
		`insert into approval_tool (profile, server, tool, definition, args) values (?, ?, ?, ?, ?)
		on conflict do update set definition = excluded.definition, args = excluded.args`,
	);
	/** Remembers an allowed call, with which the tool's next call is compared. Arguments too large to keep are stored as `null`, like arguments that are null. */
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
		if (made === undefined && decision?.rule !== undefined) {
			countUse.run(decision.at, decision.rule);
		}

		const kept = keptWithRule(approval, made);
		update.run(decision?.at ?? null, JSON.stringify({...kept, id: undefined}), approval.id);
		remember(kept);
		return kept;
	};

	return {
		add(approval: NewApproval): number {
			// The row assigns the number, which does not affect what is kept.
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
		removeRules(ids: readonly number[]) {
			for (const id of ids) {
				removeRule.run(id);
			}
		},
	};
}

/** Reads approvals and rules; needs no write access. */
export function createApprovalReader({
	prepare,
	onBroken,
	approvalProfile,
}: Engine): Pick<StoredApprovals, 'get' | 'settled' | 'rules' | 'lastAllowed'> {
	const ofApprovals = {table: 'approval', onBroken};
	const one = prepare('select id, data from approval where id = $1');
	const settled = prepare(
		`select id, data from approval where id <= ${Number.MAX_SAFE_INTEGER} and settled_at is not null and (cast($1 as text) is null or ${approvalProfile} = $1) order by id desc limit $2`,
	);
	const rules = prepare('select * from approval_rule order by id');
	const last = prepare(
		'select definition, args from approval_tool where profile = $1 and server = $2 and tool = $3',
	);
	return {
		get: async id => readRows(await one(id), approvalOfRow, ofApprovals)[0],
		settled: async ({profile = null, limit}) =>
			readRows(await settled(profile, pageOf(limit)), approvalOfRow, ofApprovals),
		rules: async () => readRows(await rules(), ruleOfRow, {table: 'approval_rule', onBroken}),
		async lastAllowed({profile, server, tool}) {
			const [row] = await last(profile, server ?? builtIn, tool);
			return (
				row && {
					definition: textOf(row['definition']),
					...(row['args'] !== null && {args: jsonOf(row['args'])}),
				}
			);
		},
	};
}

/** @throws Error when the value is no object: a person, or another version, has changed the row */
function objectOf<Value>(value: Value): Value {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new TypeError('the row holds no object');
	}

	return value;
}

/** An approval as kept once it is settled. `made`: the rule that the decision created. */
export const keptWithRule = (approval: Approval, made: number | undefined) =>
	keptApproval(
		approval.decision && made !== undefined
			? {...approval, decision: {...approval.decision, rule: made}}
			: approval,
	);

/** Parses the row of an approval. @throws Error when its data is not an object */
export const approvalOfRow = (row: Row): Approval => ({
	...objectOf(jsonOf<Approval>(row['data'])),
	id: integerOf(row['id']),
});

/** Parses the row of a rule. Errors as for `approvalOfRow`. */
export const ruleOfRow = (row: Row): ApprovalRule => ({
	...objectOf(jsonOf<ApprovalRule>(row['data'])),
	id: integerOf(row['id']),
	uses: integerOf(row['uses']),
	...optional('usedAt', nullableInteger(row['used_at'])),
});
