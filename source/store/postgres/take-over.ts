import type {Approval} from '../../core/approval.ts';
import {keptApproval} from '../../core/approvals/keeper.ts';
import {approvalSchema} from '../../core/schemas/approval.ts';
import {approvalOfRow} from '../approvals.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf} from '../columns.ts';
import {shutdownDecision} from '../rules.ts';
import type {Shared} from '../shared-port.ts';
import {abandon} from './abandon.ts';
import {endRules} from './approvals.ts';
import type {Transaction} from './database.ts';
import {liveOwners} from './members.ts';
import type {PostgresParts} from './parts.ts';

/** The dead owners (`= any`), or all that are not dead (`<> all`): their names, and how SQL compares a column with them. */
type Dead = {readonly names: readonly string[]; readonly compare: '= any' | '<> all'};

/**
 * `Shared.takeOver` on PostgreSQL, in one transaction. Without names it takes over what belongs to no live member, or to no owner at all. It locks the rows, so that of two
 * members at once only one takes over each.
 */
export const createTakeOver =
	({
		database,
		owner,
		publish,
	}: Pick<PostgresParts, 'database' | 'owner' | 'publish'>): Shared['takeOver'] =>
	async named => {
		const {rulesEnded, ...taken} = await database.transact(async transaction => {
			const dead: Dead = named
				? {names: named.owners.filter(name => name !== owner), compare: '= any'}
				: {names: [owner, ...(await liveOwners(transaction))], compare: '<> all'};
			const [{failed: _, ...runs}, denied, ended] = await Promise.all([
				abandon(transaction, isOf(dead, 'lease_owner'), [dead.names]),
				deny(transaction, dead),
				endRules(transaction, isOf(dead, 'owner'), [dead.names]),
			]);
			return {...runs, rulesEnded: ended, denied};
		});
		if (taken.requeued.length > 0) {
			publish({kind: 'runs-released'});
		}

		if (rulesEnded > 0) {
			publish({kind: 'approval-rules-changed'});
		}

		return taken;
	};

const isOf = ({compare}: Dead, column: string): string =>
	compare === '= any'
		? `${column} = any($1::text[])`
		: `(${column} is null or ${column} <> all($1::text[]))`;

/** Denies the requests of dead owners; resolves with the denied requests, oldest first. */
async function deny({query, run, now}: Transaction, dead: Dead): Promise<readonly Approval[]> {
	const rows = await query(
		`select id, data from approval where settled_at is null and ${isOf(dead, 'owner')} order by id for update`,
		[dead.names],
	);
	const decision = shutdownDecision(now);
	const asked = readRows(rows, approvalOfRow, {table: 'approval', onBroken() {}});
	const denied = asked
		.filter(approval => approvalSchema.safeParse(approval).success)
		.map(approval => keptApproval({...approval, decision}));
	const known = new Set(denied.map(({id}) => id));
	const unreadable = rows.map(row => integerOf(row['id'])).filter(id => !known.has(id));
	if (unreadable.length > 0) {
		// An unreadable request cannot get a decision: it is settled, and its data is unchanged.
		await run('update approval set settled_at = $2 where id = any($1::bigint[])', [
			unreadable,
			now,
		]);
	}

	if (denied.length > 0) {
		await run(
			`update approval set settled_at = $3, data = settled.data from unnest($1::bigint[], $2::text[]) as settled (id, data) where approval.id = settled.id`,
			[
				denied.map(({id}) => id),
				denied.map(approval => JSON.stringify({...approval, id: undefined})),
				now,
			],
		);
	}

	return denied;
}
