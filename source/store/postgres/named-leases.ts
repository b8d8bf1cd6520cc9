import {integerOf} from '../columns.ts';
import type {Leases, LeaseToken} from '../shared-port.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

/** Longest lease, milliseconds: one that seems longer was taken under a clock that has been set back. The retention deletes leases that ran out this long ago. */
export const longestMs = 3_600_000;

/** `Leases` as rows, by the time of the database. A released one is deleted; the first token of a row is the time, so that it is greater than all before. */
export const createNamedLeases =
	({database, owner}: Pick<PostgresParts, 'database' | 'owner'>): Leases =>
	name => ({
		async take(leaseMs) {
			const [row] = await database.transact(async ({query, now}) =>
				query(
					`insert into named_lease (name, owner, token, until) values ($1, $2, $4, $3)
					on conflict (name) do update set owner = excluded.owner, token = named_lease.token + 1, until = excluded.until
					where named_lease.until <= $4 or named_lease.until > $5
					returning token`,
					[name, owner, now + leaseMs, now, now + longestMs],
				),
			);
			if (!row) {
				return undefined;
			}

			const token = integerOf(row['token']);
			return {
				name,
				token,
				async beat(moreMs) {
					const beaten = await database.transact(async ({run, now}) =>
						run(
							'update named_lease set until = $4 where name = $1 and token = $2 and owner = $5 and until > $3',
							[name, token, now, now + moreMs, owner],
						),
					);
					return beaten === 1;
				},
				async release() {
					await database.run(
						'delete from named_lease where name = $1 and token = $2 and owner = $3',
						[name, token, owner],
					);
				},
			};
		},
	});

/** Whether no other holder has had the lease since; none can take it before the transaction ends. */
export const isLast = async ({query}: Transaction, {name, token}: LeaseToken): Promise<boolean> =>
	(await query('select 1 from named_lease where name = $1 and token = $2 for share', [name, token]))
		.length > 0;
