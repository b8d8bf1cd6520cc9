import type {DatabaseSync} from 'node:sqlite';
import {budgetPeriods, endOf, type KeyRecord} from '../core/api-key.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {integerOf, jsonOf, type Row, textOf} from './columns.ts';
import type {StoredKeys} from './key-port.ts';
import type {StoreParts} from './parts.ts';
import {maxKeys} from './rules.ts';

/** More than this the driver refuses to read. Journals of before may hold more. */
const boundOf = (count: string) => `min(${count}, ${Number.MAX_SAFE_INTEGER})`;

/** The sum of a column and a parameter, which stays readable. */
const sumIn = (column: string, more: string) => boundOf(`${column} + ${more}`);

/** Columns of what was used. */
const usedColumns = `${boundOf('requests')} as requests, ${boundOf('input')} as input, ${boundOf('output')} as output`;

/** `StoredKeys` on SQLite. */
export function createStoredKeys({
	database,
	commit,
	publish,
}: Pick<StoreParts, 'commit' | 'database' | 'publish'>): StoredKeys {
	const open = database.prepare(
		'select count(*) as n from api_key where (ended = 0 or ended > ?1) and id <> ?2',
	);
	const put = database.prepare(
		`insert into api_key (id, ended, data) values (?1, ?2, ?3)
		on conflict (id) do update set ended = ?2, data = ?3`,
	);
	const old = database.prepare(
		`select id from api_key where ended > 0 and ended <= ?1 order by ended desc, seq desc limit -1 offset ${maxKeys}`,
	);
	const drop = database.prepare('delete from api_key where id = ?');
	const dropUses = database.prepare('delete from api_key_use where key = ?');
	const add = database.prepare(
		`insert into api_key_use (key, day, requests, input, output)
		select ?1, ?2, ?3, ?4, ?5 from api_key where id = ?1
		on conflict (key, day) do update set requests = requests + ?3, input = ${sumIn('input', '?4')}, output = ${sumIn('output', '?5')}`,
	);
	const sum = database.prepare(
		`update api_key set requests = requests + ?2, input = ${sumIn('input', '?3')}, output = ${sumIn('output', '?4')} where id = ?1`,
	);
	const use = database.prepare('update api_key set used = max(used, ?2) where id = ?1');
	let lastBatch: string | undefined;

	return {
		...createKeyReader(database),
		async put(key, now) {
			const dropped = await commit.write(() => {
				const ended = key.revokedAt ?? key.expiresAt ?? 0;
				if (!endOf(key, now) && integerOf(open.get(now, key.id)?.['n']) >= maxKeys) {
					throw keysFull();
				}

				const {lastUsedAt: _, ...kept} = key;
				put.run(key.id, ended, JSON.stringify(kept));
				const gone = old.all(now).map(row => textOf(row['id']));
				for (const id of gone) {
					drop.run(id);
					dropUses.run(id);
				}

				return gone;
			});
			publish({kind: 'keys-changed', keys: [key.id, ...dropped]});
			return dropped;
		},
		async add(uses, usedAt, batch) {
			if (batch !== undefined && batch === lastBatch) {
				return;
			}

			await commit.write(() => {
				for (const {id, day, requests, inputTokens, outputTokens} of uses) {
					add.run(id, day, requests, inputTokens, outputTokens);
					sum.run(id, requests, inputTokens, outputTokens);
				}

				for (const [id, at] of usedAt) {
					use.run(id, at);
				}
			});
			lastBatch = batch;
		},
	};
}

export const keysFull = (): SvcError =>
	new SvcError(
		'keys_full',
		`Cannot make a key: ${maxKeys} are in force; revoke one ("svc keys list")`,
	);

/** The part of it that only looks. */
export function createKeyReader(
	database: DatabaseSync,
): Pick<StoredKeys, 'list' | 'usesSince' | 'totals'> {
	const list = database.prepare('select id, data, used from api_key order by seq');
	const since = database.prepare(
		`select key, day, ${usedColumns} from api_key_use where day >= ? order by day, key`,
	);
	const totals = database.prepare(`select id as key, ${usedColumns} from api_key order by seq`);
	return {
		list: async keys =>
			list
				.all()
				.filter(row => keys?.includes(textOf(row['id'])) ?? true)
				.map(keyOfRow),
		usesSince: async (day, keys) =>
			since
				.all(day)
				.map(row => ({id: textOf(row['key']), day: textOf(row['day']), ...usageOf(row)}))
				.filter(({id}) => keys?.includes(id) ?? true),
		totals: async keys =>
			totals
				.all()
				.map(row => ({id: textOf(row['key']), ...usageOf(row)}))
				.filter(({id}) => keys?.includes(id) ?? true),
	};
}

/** Whether it has what a key is judged by: a row that lacks it would be found out in the middle of something else. */
function isRecord(data: JsonValue): boolean {
	if (!isJsonObject(data)) {
		return false;
	}

	const {id, name, secrets, endpoints, models, budget, createdAt} = data;
	return (
		typeof id === 'string' &&
		typeof name === 'string' &&
		typeof createdAt === 'number' &&
		[endpoints, models].every(
			list => Array.isArray(list) && list.every(one => typeof one === 'string'),
		) &&
		Array.isArray(secrets) &&
		secrets.every(secret => isJsonObject(secret) && typeof secret['hash'] === 'string') &&
		(budget === undefined ||
			(isJsonObject(budget) &&
				Number.isSafeInteger(budget['tokens']) &&
				budgetPeriods.some(period => period === budget['per'])))
	);
}

/** A key from its row. @throws Error for what is no key */
export function keyOfRow(row: Row): KeyRecord {
	const used = integerOf(row['used']);
	if (!isRecord(jsonOf<JsonValue>(row['data']))) {
		throw new Error(`the row of ${textOf(row['id'])} is none of a key`);
	}

	return {...jsonOf<KeyRecord>(row['data']), ...(used > 0 && {lastUsedAt: used})};
}

export const usageOf = (row: Row) => ({
	requests: integerOf(row['requests']),
	inputTokens: integerOf(row['input']),
	outputTokens: integerOf(row['output']),
});
