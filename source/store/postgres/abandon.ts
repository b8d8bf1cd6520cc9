import {integerOf} from '../columns.ts';
import {fateOf, noFates} from '../rules.ts';
import {columnsOf} from './ask.ts';
import type {SqlValue, Transaction} from './database.ts';

/** SQL condition for leased runs. */
export const isLeased = 'finished_at is null and due_at is null';

/**
 * Settles leased runs that match `which` (SQL with parameters from `$1` on) by the rules for lost leases; resolves with their numbers by outcome, oldest first. One
 * statement, two if there are any.
 */
export async function abandon(
	{query, run, now}: Transaction,
	which: string,
	values: readonly SqlValue[],
): Promise<Readonly<ReturnType<typeof noFates>>> {
	const fates = noFates();
	const rows = await query(
		`select id, state, side_effect, delivery_started, lost_leases, (delivery is null and job is null and conversation is null)::integer as chat
		from run where ${isLeased} and ${which} order by id for update`,
		values,
	);
	const ends = rows.map(row => {
		const id = integerOf(row['id']);
		const {fate, state, lost, error} = fateOf(row);
		fates[fate].push(id);
		return {id, state, lost, error};
	});
	if (ends.length > 0) {
		// A requeued run keeps its position in the queue, which is by age.
		await run(
			`update run set state = fate.state, lease_owner = null, lease_until = null,
				due_at = case when fate.error is null then created_at end, finished_at = case when fate.error is null then null else $5::bigint end,
				delivery_started = case when fate.error is null then 0 else delivery_started end,
				lost_leases = coalesce(fate.lost, lost_leases), error = coalesce(fate.error, run.error)
			from unnest($1::bigint[], $2::text[], $3::integer[], $4::text[]) as fate (id, state, lost, error)
			where run.id = fate.id`,
			[...columnsOf(ends, 'id', 'state', 'lost', 'error'), now],
		);
	}

	return fates;
}
