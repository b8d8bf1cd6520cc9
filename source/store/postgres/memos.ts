import type {JsonValue} from '../../core/json.ts';
import type {Memos} from '../../core/memos.ts';
import {readRows} from '../broken-rows.ts';
import {integerOf, jsonOf, textOf} from '../columns.ts';
import {memoOfRow} from '../memos.ts';
import {maxMemos} from '../rules.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {Database, Statements} from './database.ts';
import type {PostgresParts} from './parts.ts';

/** Trimming walks through all memos of a kind, so that it is not done at each write. */
const writesPerTrim = 64;

export type NewMemo = {readonly kind: string; readonly name: string; readonly value: JsonValue};

/** Writes memos in order; of equal names the last counts. A rewritten memo becomes the newest of its kind. */
export async function putMemos({query, run}: Statements, memos: readonly NewMemo[]): Promise<void> {
	const last = new Map<string, NewMemo>();
	for (const memo of memos) {
		const key = JSON.stringify([memo.kind, memo.name]);
		last.delete(key);
		last.set(key, memo);
	}

	if (last.size === 0) {
		return;
	}

	const written = [...last.values()];
	const rows = await query(
		`insert into memo (kind, name, data)
		select kind, name, data from unnest($1::text[], $2::text[], $3::text[]) with ordinality as new (kind, name, data, place) order by place
		on conflict (kind, name) do update set id = excluded.id, data = excluded.data returning id, kind`,
		[...columnsOf(written, 'kind', 'name'), written.map(({value}) => JSON.stringify(value))],
	);
	const full = rows.filter(row => integerOf(row['id']) % writesPerTrim === 0);
	for (const kind of new Set(full.map(row => textOf(row['kind'])))) {
		// oxlint-disable-next-line no-await-in-loop -- there are few kinds
		await run(
			`delete from memo where kind = $1 and id <= (select id from memo where kind = $1 order by id desc limit 1 offset ${maxMemos})`,
			[kind],
		);
	}
}

export async function getMemo(
	{query}: Statements,
	kind: string,
	name: string,
): Promise<JsonValue | undefined> {
	const [row] = await query('select data from memo where kind = $1 and name = $2', [kind, name]);
	return row && jsonOf<JsonValue>(row['data']);
}

export async function listMemos(
	{query, onBroken}: Database,
	kind: string,
): Promise<ReadonlyArray<{readonly name: string; readonly value: JsonValue}>> {
	const rows = await query(
		`select name, data from memo where kind = $1 order by id desc limit ${maxMemos}`,
		[kind],
	);
	return readRows(rows, memoOfRow, {table: 'memo', onBroken});
}

/** `Memos` on PostgreSQL. */
export function createMemos({database}: Pick<PostgresParts, 'database'>): Memos {
	const put = createBatch<NewMemo, undefined>(
		async memos => {
			await database.transact(async transaction => putMemos(transaction, memos));
			return memos.map(() => undefined);
		},
		{most: 256, name: database.name},
	);
	return {
		get: async (kind, name) => getMemo(database, kind, name),
		list: async kind => listMemos(database, kind),
		put: async (kind, name, value) => put({kind, name, value}),
		async drop(kind, name) {
			await database.run('delete from memo where kind = $1 and name = $2', [kind, name]);
		},
	};
}
