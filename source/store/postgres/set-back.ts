import {maxPauseMs} from '../rules.ts';
import type {Database} from './database.ts';

/**
 * At opening: what was written later than the database's clock shows now was written under one that has been set back since, such as that of the machine that served before. A promised start lies no further
 * ahead than it did when it was promised, another try at most an hour, a group had its last event now, and an identifier counts as taken now. Where the clock goes on nothing is changed.
 */
export async function pullBack(database: Database): Promise<void> {
	await database.transact(
		async ({finish, now}) =>
			finish(
				`with claims as (update claim set at = $1 where at > $1), groups as (
					update coalesce_group set first_at = first_at - last_at + $1, last_at = $1, quiet_at = quiet_at - last_at + $1, cap_at = cap_at - last_at + $1
					where run is null and last_at > $1
				), ahead as (
					select id, $1 + least(due_at - $1, case
						when awaits_logins is not null then login_wait
						when attempt + delivery_attempt = 0 then greatest(0, due_at - created_at)
						else ${maxPauseMs} end) as due_at
					from run where due_at > $1
				)
				update run set created_at = least(run.created_at, $1), due_at = ahead.due_at from ahead where run.id = ahead.id and run.due_at > ahead.due_at`,
				[now],
			),
		'accept',
	);
}
