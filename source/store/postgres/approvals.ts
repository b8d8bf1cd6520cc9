import type {Approval} from '../../core/approval.ts';
import {
	type NewApproval,
	type NewRule,
	keptApproval,
	outlivesGateway,
} from '../../core/approvals/keeper.ts';
import {
	approvalOfRow,
	builtIn,
	createApprovalReader,
	keptWithRule,
	ruleOfRow,
} from '../approvals.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf, textOf, pageOf} from '../columns.ts';
import type {StoredApprovals} from '../port.ts';
import {maxSettledApprovals} from '../rules.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {SqlValue, Statements, Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

/** `StoredApprovals` on PostgreSQL. `approval.owner` is the member that asked, `approval_rule.owner` the member that made the rule. */
export function createStoredApprovals({
	database,
	owner,
	publish,
}: Pick<PostgresParts, 'database' | 'owner' | 'publish'>): StoredApprovals {
	const add = createBatch<NewApproval, number>(
		async approvals => database.transact(async transaction => insert(transaction, approvals)),
		{most: 256, name: database.name},
	);

	const insert = async (
		statements: Statements,
		approvals: readonly NewApproval[],
	): Promise<readonly number[]> => {
		// The row assigns the number, which does not affect what is kept.
		const kept = approvals.map(approval => {
			const {id: _, ...rest} = keptApproval({...approval, id: 0});
			return rest;
		});
		const rows = await statements.query(
			`insert into approval (owner, settled_at, profile, data)
			select $1, settled_at, profile, data from unnest($2::bigint[], $3::text[], $4::text[]) with ordinality as new (settled_at, profile, data, place) order by place
			returning id`,
			[
				owner,
				kept.map(({decision}) => decision?.at ?? null),
				kept.map(({profile}) => profile),
				kept.map(approval => JSON.stringify(approval)),
			],
		);
		// The sequence assigns numbers in the order of the rows.
		const ids = rows.map(row => integerOf(row['id'])).toSorted((a, b) => a - b);
		await followUp(statements, kept);
		await statements.run('delete from approval where id <= $1 and settled_at is not null', [
			(ids.at(-1) ?? 0) - maxSettledApprovals,
		]);
		return ids;
	};

	const addRule = async ({query}: Statements, rule: NewRule): Promise<number> => {
		const [row] = await query(
			'insert into approval_rule (owner, data) values ($1, $2) returning id',
			[owner, JSON.stringify(rule)],
		);
		return integerOf(row?.['id']);
	};

	const settle = async (
		statements: Statements,
		{approval, rule}: {readonly approval: Approval; readonly rule: NewRule | undefined},
	): Promise<Approval> => {
		const [row] = await statements.query(
			'select id, settled_at, data from approval where id = $1 for update',
			[approval.id],
		);
		if (row && row['settled_at'] !== null) {
			return approvalOfRow(row);
		}

		const made = rule && (await addRule(statements, rule));
		const kept = keptWithRule(approval, made);
		await statements.run('update approval set settled_at = $2, data = $3 where id = $1', [
			approval.id,
			approval.decision?.at ?? null,
			JSON.stringify({...kept, id: undefined}),
		]);
		await followUp(statements, [kept], made);
		return kept;
	};

	const rulesChanged = () => publish({kind: 'approval-rules-changed'});

	return {
		add,
		async settle(approval, rule) {
			const kept = await database.transact(async transaction =>
				settle(transaction, {approval, rule}),
			);
			publish({kind: 'approval-settled', id: approval.id});
			if (rule) {
				rulesChanged();
			}

			return kept;
		},
		...createApprovalReader(database),
		async waiting(limit) {
			const rows = await database.query(
				'select id, owner, data from approval where settled_at is null order by id limit $1',
				[pageOf(limit)],
			);
			return readRows(rows, row => ({approval: approvalOfRow(row), owner: textOf(row['owner'])}), {
				table: 'approval',
				onBroken: database.onBroken,
			});
		},
		async addRule(rule) {
			const id = await addRule(database, rule);
			rulesChanged();
			return id;
		},
		async changeRule(id, rule) {
			await database.run('update approval_rule set data = $2 where id = $1', [
				id,
				JSON.stringify(rule),
			]);
			rulesChanged();
		},
		async removeRules(ids) {
			await database.run('delete from approval_rule where id = any($1::bigint[])', [ids]);
			rulesChanged();
		},
	};
}

/** Counts uses of rules, except of the rule `made`, and remembers allowed calls, with which the tools' next calls are compared. */
async function followUp(
	{run}: Statements,
	approvals: readonly NewApproval[],
	made?: number,
): Promise<void> {
	const uses = approvals.flatMap(({decision}) =>
		decision?.rule === undefined || decision.rule === made
			? []
			: [{rule: decision.rule, at: decision.at}],
	);
	if (uses.length > 0) {
		await run(
			`update approval_rule set uses = uses + more, used_at = at
			from (select rule, count(*) as more, max(at) as at from unnest($1::bigint[], $2::bigint[]) as use (rule, at) group by rule) as used
			where approval_rule.id = used.rule`,
			columnsOf(uses, 'rule', 'at'),
		);
	}

	const calls = new Map(
		approvals.flatMap(approval =>
			approval.kind === 'tool' && approval.decision?.outcome === 'allowed'
				? [
						[
							JSON.stringify([approval.tool.profile, approval.tool.server, approval.tool.tool]),
							approval,
						] as const,
					]
				: [],
		),
	);
	if (calls.size > 0) {
		const last = [...calls.values()].map(({tool, args}) => ({
			...tool,
			server: tool.server ?? builtIn,
			// Arguments too large to keep are stored as `null`, like arguments that are null.
			args: args === null ? null : JSON.stringify(args),
		}));
		await run(
			`insert into approval_tool (profile, server, tool, definition, args)
			select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) order by 1, 2, 3
			on conflict (profile, server, tool) do update set definition = excluded.definition, args = excluded.args`,
			columnsOf(last, 'profile', 'server', 'tool', 'definition', 'args'),
		);
	}
}

/** Ends the rules that do not outlive the gateways that made them, and returns their number. `where`: SQL condition on the column `owner`. */
export async function endRules(
	{query, run, now}: Transaction,
	where: string,
	values: readonly SqlValue[],
): Promise<number> {
	const rows = await query(`select id, uses, data from approval_rule where ${where}`, values);
	const ended = readRows(rows, ruleOfRow, {table: 'approval_rule', onBroken() {}}).filter(
		rule => !outlivesGateway(rule, now),
	);
	if (ended.length > 0) {
		await run('delete from approval_rule where id = any($1::bigint[])', [ended.map(({id}) => id)]);
	}

	return ended.length;
}
