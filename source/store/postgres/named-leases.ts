import {integerOf} from '../columns.ts';
import type {Leases, LeaseToken} from '../shared-port.ts';
import type {Transaction} from './database.ts';
import type {PostgresParts} from './parts.ts';

/** Maximum duration of a lease, milliseconds: a longer one was taken before the clock was set back. The retention deletes leases that expired this long ago. */
export const longestMs = 3_600_000;

/** `Leases` as rows, by the time of the database. A released lease is deleted; a row's first token is the time, which makes it greater than all earlier ones. */
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

/** Whether nobody else has taken the lease since; nobody can before the transaction ends. */
export const isLast = async ({query}: Transaction, {name, token}: LeaseToken): Promise<boolean> =>
	(await query('select 1 from named_lease where name = $1 and token = $2 for share', [name, token]))
		.length > 0;
