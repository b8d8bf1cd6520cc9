import {randomUUID} from 'node:crypto';
import {endOf, type KeyRecord} from '../../core/api-key.ts';
import {integerOf, nullableText, textOf} from '../columns.ts';
import type {StoredKeys} from '../key-port.ts';
import {createKeyReader, keysFull} from '../keys.ts';
import {maxKeys} from '../rules.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {PostgresParts} from './parts.ts';

type Change = {readonly key: KeyRecord; readonly now: number};
type Changed = {readonly dropped: readonly string[]} | {readonly isFull: true};

/** SQL for the sum of two columns, capped at what the driver can read. */
const sumOf = (one: string, other: string) =>
	`least(${one} + ${other}, ${Number.MAX_SAFE_INTEGER})::bigint`;

const endedOf = ({revokedAt, expiresAt}: KeyRecord): number => revokedAt ?? expiresAt ?? 0;

/** Keeps a key revoked even if it is changed by a member that does not know of the revocation. */
const staysRevoked = (key: KeyRecord, revokedAt: string | null | undefined): KeyRecord =>
	key.revokedAt === undefined && typeof revokedAt === 'string'
		? {...key, revokedAt: Number(revokedAt)}
		: key;

/** Kind of the memos that name, for each member, its last added batch of uses. The retention deletes those of members that are gone. */
export const batchMemos = 'key-uses';

/** `StoredKeys` on PostgreSQL. */
export function createStoredKeys({
	database,
	owner,
	publish,
}: Pick<PostgresParts, 'database' | 'owner' | 'publish'>): StoredKeys {
	const put = createBatch<Change, Changed>(
		async changes =>
			database.transact(async ({query, run}) => {
				const rows = await query(
					"select id, ended, data::json ->> 'revokedAt' as revoked from api_key order by seq",
				);
				const revoked = new Map(
					rows.map(row => [textOf(row['id']), nullableText(row['revoked'] ?? null)] as const),
				);
				const known = new Map(
					rows.map(row => [textOf(row['id']), integerOf(row['ended'])] as const),
				);
				const written = new Map<string, KeyRecord>();
				const gone = new Set<string>();
				const changed = changes.map(({key: wanted, now}): Changed => {
					const key = staysRevoked(wanted, revoked.get(wanted.id));
					const open = [...known].filter(
						([id, ended]) => (ended === 0 || ended > now) && id !== key.id,
					);
					if (!endOf(key, now) && open.length >= maxKeys) {
						return {isFull: true};
					}

					if (key.revokedAt !== undefined) {
						revoked.set(key.id, `${key.revokedAt}`);
					}

					known.set(key.id, endedOf(key));
					written.set(key.id, key);
					const dropped = tooMany(known, now);
					for (const id of dropped) {
						known.delete(id);
						written.delete(id);
						gone.add(id);
					}

					return {dropped};
				});
				const kept = [...written.values()];
				await run(
					`insert into api_key (id, ended, data)
					select id, ended, data from unnest($1::text[], $2::bigint[], $3::text[]) with ordinality as new (id, ended, data, place) order by place
					on conflict (id) do update set ended = excluded.ended, data = excluded.data`,
					[
						kept.map(({id}) => id),
						kept.map(endedOf),
						kept.map(key => JSON.stringify({...key, lastUsedAt: undefined})),
					],
				);
				if (gone.size > 0) {
					const ids = [...gone].filter(id => !written.has(id));
					await run('delete from api_key where id = any($1)', [ids]);
					await run('delete from api_key_use where key = any($1)', [ids]);
				}

				return changed;
			}, 'keys'),
		{most: 128, name: database.name},
	);

	return {
		...createKeyReader(database),
		async put(key, now) {
			const changed = await put({key, now});
			if ('isFull' in changed) {
				throw keysFull();
			}

			publish({kind: 'keys-changed', keys: [key.id, ...changed.dropped]});
			return changed.dropped;
		},
		async add(uses, usedAt, batch = randomUUID()) {
			const used = [...columnsOf(uses, 'id', 'day', 'requests', 'inputTokens', 'outputTokens')];
			const columns =
				'unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as use (key, day, requests, input, output)';
			const sums = ['requests', 'input', 'output']
				.map(name => `least(sum(use.${name}), ${Number.MAX_SAFE_INTEGER})::bigint as ${name}`)
				.join(', ');
			await database.transact(async ({query, run}) => {
				const isNew = await query(
					`insert into memo (kind, name, data) values ('${batchMemos}', $1, $2)
					on conflict (kind, name) do update set data = excluded.data where memo.data <> excluded.data returning id`,
					[owner, JSON.stringify(batch)],
				);
				if (isNew.length === 0) {
					return;
				}

				await run(
					`insert into api_key_use (key, day, requests, input, output)
					select key, day, ${sums} from ${columns} join api_key on api_key.id = key group by key, day order by key, day
					on conflict (key, day) do update set requests = api_key_use.requests + excluded.requests,
					input = ${sumOf('api_key_use.input', 'excluded.input')}, output = ${sumOf('api_key_use.output', 'excluded.output')}`,
					used,
				);
				await run(
					`update api_key set requests = api_key.requests + more.requests,
					input = ${sumOf('api_key.input', 'more.input')}, output = ${sumOf('api_key.output', 'more.output')}
					from (select key, ${sums} from ${columns} group by key) as more where api_key.id = more.key`,
					used,
				);
				await run(
					'update api_key set used = greatest(used, at) from unnest($1::text[], $2::bigint[]) as last (key, at) where id = key',
					[[...usedAt.keys()], [...usedAt.values()]],
				);
			});
			publish({kind: 'keys-used', keys: [...usedAt.keys()]});
		},
	};
}

/** Of the keys that have ended by `now`, those that ended longest ago, in excess of the limit. `known`: when each key ends, 0 for never, in order of creation. */
function tooMany(known: ReadonlyMap<string, number>, now: number): readonly string[] {
	const ended = [...known].filter(([, at]) => at > 0 && at <= now);
	return ended.length <= maxKeys
		? []
		: ended
				.map(([id, at], place) => ({id, at, place}))
				.toSorted((one, other) => other.at - one.at || other.place - one.place)
				.slice(maxKeys)
				.map(({id}) => id);
}
