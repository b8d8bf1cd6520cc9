import type {JsonValue} from '../core/json.ts';
import type {Memos} from '../core/memos.ts';
import {readRows} from './broken-rows.ts';
import {jsonOf, type Row, textOf} from './columns.ts';
import type {StoreParts} from './parts.ts';
import {maxMemos} from './rules.ts';

/** Trimming walks through all memos of a kind, so that it is not done at each write. */
const writesPerTrim = 64;

export type MemoSteps = ReturnType<typeof createMemoSteps>;

/** The steps of `Memos` on SQLite; call writes inside a transaction. A rewritten memo becomes the newest of its kind. */
export function createMemoSteps({database, onBroken}: Pick<StoreParts, 'database' | 'onBroken'>) {
	const put = database.prepare('insert or replace into memo (kind, name, data) values (?, ?, ?)');
	const trim = database.prepare(
		`delete from memo where kind = ?1 and id <= (select id from memo where kind = ?1 order by id desc limit 1 offset ${maxMemos})`,
	);
	const drop = database.prepare('delete from memo where kind = ? and name = ?');
	const get = database.prepare('select data from memo where kind = ? and name = ?');
	const list = database.prepare(
		`select name, data from memo where kind = ? order by id desc limit ${maxMemos}`,
	);

	return {
		get(kind: string, name: string): JsonValue | undefined {
			const row = get.get(kind, name);
			return row && jsonOf<JsonValue>(row['data']);
		},
		list: (kind: string) => readRows(list.all(kind), memoOfRow, {table: 'memo', onBroken}),
		put(kind: string, name: string, value: JsonValue) {
			const {lastInsertRowid} = put.run(kind, name, JSON.stringify(value));
			if (Number(lastInsertRowid) % writesPerTrim === 0) {
				trim.run(kind);
			}
		},
		drop: (kind: string, name: string) => drop.run(kind, name),
	};
}

/** `Memos` on SQLite. */
export const createMemos = ({memoSteps: steps, commit}: StoreParts): Memos => ({
	get: async (kind, name) => steps.get(kind, name),
	list: async kind => steps.list(kind),
	put: async (kind, name, value) => commit.write(() => steps.put(kind, name, value)),
	async drop(kind, name) {
		await commit.write(() => steps.drop(kind, name));
	},
});

/** Parses a row of `name, data`. */
export const memoOfRow = (row: Row) => ({
	name: textOf(row['name']),
	value: jsonOf<JsonValue>(row['data']),
});
