import type {JsonValue} from '../core/json.ts';
import type {Memos} from '../core/memos.ts';
import {textOf} from './columns.ts';
import type {StoreParts} from './parts.ts';
import {maxMemos} from './rules.ts';

/** Finding those that are too many walks through all others: not each time. */
const writesPerTrim = 64;

/** `Memos` on SQLite. One that is written anew is the newest of its kind. */
export function createMemos({database, commit}: Pick<StoreParts, 'commit' | 'database'>): Memos {
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
		async get(kind, name) {
			const row = get.get(kind, name);
			return row && parse(textOf(row['data']));
		},
		list: async kind =>
			list.all(kind).map(row => ({name: textOf(row['name']), value: parse(textOf(row['data']))})),
		async put(kind, name, value) {
			await commit.write(() => {
				const {lastInsertRowid} = put.run(kind, name, JSON.stringify(value));
				if (Number(lastInsertRowid) % writesPerTrim === 0) {
					trim.run(kind);
				}
			});
		},
		async drop(kind, name) {
			await commit.write(() => {
				drop.run(kind, name);
			});
		},
	};
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `put` writes it
const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;
