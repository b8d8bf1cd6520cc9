import {integerOf} from '../columns.ts';
import type {Leases} from '../shared-port.ts';
import type {PostgresParts} from './parts.ts';

/** No lease is longer, milliseconds: one that seems to be was taken under a clock that has been set back. */
const longestMs = 3_600_000;

/** `Leases` as rows, by the time of the database. The row of a lease that has ended stays: the next token must be greater. */
export const createNamedLeases =
	({database, owner}: Pick<PostgresParts, 'database' | 'owner'>): Leases =>
	name => ({
		async take(leaseMs) {
			const [row] = await database.transact(async ({query, now}) =>
				query(
					`insert into named_lease (name, owner, token, until) values ($1, $2, 1, $3)
					on conflict (name) do update set owner = excluded.owner, token = named_lease.token + 1, until = excluded.until
					where named_lease.owner is null or named_lease.until <= $4 or named_lease.until > $5
					returning token`,
					[name, owner, now + leaseMs, now, now + longestMs],
				),
			);
			if (!row) {
				return undefined;
			}

			const token = integerOf(row['token']);
			return {
				token,
				async beat(moreMs) {
					const beaten = await database.transact(async ({run, now}) =>
						run(
							'update named_lease set until = $4 where name = $1 and token = $2 and owner is not null and until > $3',
							[name, token, now, now + moreMs],
						),
					);
					return beaten === 1;
				},
				async release() {
					await database.run('update named_lease set owner = null where name = $1 and token = $2', [
						name,
						token,
					]);
				},
			};
		},
	});
