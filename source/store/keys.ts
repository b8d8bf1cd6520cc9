import {budgetPeriods, endOf, type KeyRecord} from '../core/api-key.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {integerOf, jsonOf, type Row, textOf} from './columns.ts';
import type {Engine} from './engine.ts';
import type {StoredKeys} from './key-port.ts';
import type {StoreParts} from './parts.ts';
import {maxKeys} from './rules.ts';

/** SQL for the sum of a column and a parameter, capped at what the driver can read. */
const sumIn = (column: string, more: string) =>
	`min(${column} + ${more}, ${Number.MAX_SAFE_INTEGER})`;

/** `StoredKeys` on SQLite. */
export function createStoredKeys({database, engine, commit, publish}: StoreParts): StoredKeys {
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
		...createKeyReader(engine),
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

/** The reading part of `StoredKeys`. */
export function createKeyReader({
	prepare,
	among,
	least,
}: Engine): Pick<StoredKeys, 'list' | 'usesSince' | 'totals'> {
	// Older journals may contain greater numbers than the driver can read.
	const used = ['requests', 'input', 'output']
		.map(name => `${least}(${name}, ${Number.MAX_SAFE_INTEGER}) as ${name}`)
		.join(', ');
	const list = prepare(
		`select id, data, used from api_key where ${among('id', '$1')} order by seq`,
	);
	const since = prepare(
		`select key, day, ${used} from api_key_use where day >= $1 and ${among('key', '$2')} order by day, key`,
	);
	const totals = prepare(
		`select id as key, ${used} from api_key where ${among('id', '$1')} order by seq`,
	);
	return {
		list: async keys => (await list(keys ?? null)).map(keyOfRow),
		usesSince: async (day, keys) =>
			(await since(day, keys ?? null)).map(row => ({day: textOf(row['day']), ...usageOf(row)})),
		totals: async keys => (await totals(keys ?? null)).map(usageOf),
	};
}

/** Whether the key has all fields that its checks use: without one, a request would fail midway. */
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

/** Parses the row of a key. @throws Error when the row is not a key */
function keyOfRow(row: Row): KeyRecord {
	const used = integerOf(row['used']);
	if (!isRecord(jsonOf<JsonValue>(row['data']))) {
		throw new Error(`the row of ${textOf(row['id'])} is none of a key`);
	}

	return {...jsonOf<KeyRecord>(row['data']), ...(used > 0 && {lastUsedAt: used})};
}

const usageOf = (row: Row) => ({
	id: textOf(row['key']),
	requests: integerOf(row['requests']),
	inputTokens: integerOf(row['input']),
	outputTokens: integerOf(row['output']),
});
