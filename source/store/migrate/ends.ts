import {existsSync} from 'node:fs';
import {DatabaseSync, type SQLInputValue} from 'node:sqlite';
import {Client} from 'pg';
import {integerOf, textOf, type Row} from '../columns.ts';
import {sqliteSql} from '../engine.ts';
import {versionOf} from '../migrations.ts';
import type {Database, SqlValue, Transaction} from '../postgres/database.ts';
import {storeUnreadable} from '../sqlite-errors.ts';
import {countAll, type CopyCounts, type CopyProgress} from './copy-counts.ts';
import {type CopyStep, stepsToPostgres, stepsToSqlite} from './copy-steps.ts';

/** The key of the row after which a copy continues. */
type RowPlace = ReadonlyArray<string | number>;

/** A store that is copied from. */
export type CopyOrigin = ReturnType<typeof sqliteOrigin>;

const defaultPageSize = 500;

/** Maximum size of the bodies in a page, bytes: the time of a statement is limited to seconds. */
const maxPageBytes = 4 * 1024 * 1024;

const rowPlaceOf = (row: Row, {key}: CopyStep): RowPlace =>
	key.map(column => {
		const value = row[column];
		return typeof value === 'string' ? value : integerOf(value);
	});

const sourceOf = ({from, table}: CopyStep): string => from ?? table;

function pageSql(step: CopyStep, after: RowPlace | undefined): string {
	const columns = step.key.join(', ');
	const behind =
		after && `where (${columns}) > (${after.map((_, index) => `$${index + 1}`).join(', ')})`;
	return `select * from ${sourceOf(step)} ${behind ?? ''} order by ${columns} limit ${step.pageSize ?? defaultPageSize}`;
}

/** A SQLite store that is not being written. */
export const sqliteOrigin = (database: DatabaseSync) => ({
	/** A page of a step's rows in the order of its key, after the key `after`. */
	async page(step: CopyStep, after: RowPlace | undefined): Promise<readonly Row[]> {
		const rows: Row[] = [];
		let bytes = 0;
		for (const row of database.prepare(sqliteSql(pageSql(step, after))).iterate(...(after ?? []))) {
			rows.push(row);
			bytes += row['body'] instanceof Uint8Array ? row['body'].length : 0;
			if (bytes > maxPageBytes) {
				break;
			}
		}

		return rows;
	},
	/** The number of a step's rows. */
	count: async (step: CopyStep): Promise<number> =>
		integerOf(database.prepare(`select count(*) as count from ${sourceOf(step)}`).get()?.['count']),
});

/** A PostgreSQL store that is not being written. `database`: the connection for reading pages. */
export const postgresOrigin = (url: string, database?: Database): CopyOrigin => ({
	async page(step, after) {
		return (await database?.query(pageSql(step, after), after)) ?? [];
	},
	async count(step) {
		// Counting millions of rows takes longer than any statement of a gateway may.
		const client = new Client({connectionString: url});
		// If the connection breaks, the query rejects.
		client.on('error', () => {});
		await client.connect();
		try {
			const {rows} = await client.query<{count: string}>(
				`select count(*) as count from ${sourceOf(step)}`,
			);
			return Number(rows[0]?.count);
		} finally {
			await client.end();
		}
	},
});

/** The progress of a copy: the number of finished steps, and where the next one continues. */
export type CopyPlace = {readonly done: number; readonly after?: RowPlace};

/** Copies tables page by page, starting at `begin`. `put` writes the rows of a page, and may record where the copy continues after it. */
export async function copyPages(
	{
		origin,
		steps,
		counts,
		begin,
	}: {
		readonly origin: CopyOrigin;
		readonly steps: readonly CopyStep[];
		readonly counts: CopyCounts;
		readonly begin: CopyPlace;
	},
	put: (
		page: {readonly step: CopyStep; readonly rows: readonly Row[]},
		next: CopyPlace,
	) => Promise<void>,
	onProgress: (progress: CopyProgress) => void,
): Promise<void> {
	let place = begin;
	let copied = 0;
	for (let step = steps[place.done]; step; step = steps[place.done]) {
		const {noun, convert = row => row} = step;
		// oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ended
		const rows = await origin.page(step, place.after);
		const last = rows.at(-1);
		const {done} = place;
		place = last ? {done, after: rowPlaceOf(last, step)} : {done: done + 1};
		// oxlint-disable-next-line no-await-in-loop
		await put({step, rows: rows.map(convert)}, place);
		copied = last ? copied + rows.length : 0;
		if (last) {
			onProgress({noun, copied, all: counts.get(noun) ?? 0});
		}
	}
}

/** Writes rows into SQLite tables, inside the caller's transaction. */
export function sqliteWriter(
	database: DatabaseSync,
): (step: CopyStep, rows: readonly Row[]) => void {
	const columnsOf = (table: string): readonly string[] =>
		database
			.prepare(`select name from pragma_table_xinfo('${table}') where hidden = 0`)
			.all()
			.map(row => textOf(row['name']));
	return (step, rows) => {
		const [first] = rows;
		if (!first) {
			return;
		}

		const columns = columnsOf(step.table).filter(column => Object.hasOwn(first, column));
		const insert = database.prepare(
			`insert into ${step.table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
		);
		for (const row of rows) {
			insert.run(...columns.map((column): SQLInputValue => row[column] ?? null));
		}
	};
}

type Column = {readonly name: string; readonly type: string};

/** Writes rows into the tables of PostgreSQL, inside a transaction. */
export function postgresWriter(): (
	transaction: Transaction,
	page: {readonly step: CopyStep; readonly rows: readonly Row[]},
) => Promise<void> {
	const known = new Map<string, readonly Column[]>();
	const columnsOf = async ({query}: Transaction, table: string): Promise<readonly Column[]> => {
		const rows =
			known.get(table) ??
			(
				await query(
					`select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
					where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
					[table],
				)
			).map(row => ({name: textOf(row['name']), type: textOf(row['type'])}));
		known.set(table, rows);
		return rows;
	};

	return async (transaction, {step, rows}) => {
		const kept = step.newestOf ? newestOf(rows, step.newestOf) : rows;
		const [first] = kept;
		if (!first) {
			return;
		}

		const columns = (await columnsOf(transaction, step.table)).filter(({name}) =>
			Object.hasOwn(first, name),
		);
		const names = columns.map(({name}) => name).join(', ');
		await transaction.run(
			`insert into ${step.table} (${names}) select ${names} from unnest(${columns.map(({type}, index) => `$${index + 1}::${type}[]`).join(', ')}) as new (${names})${step.newestOf ? replacing(step.newestOf, columns) : ''}`,
			columns.map(({name}): SqlValue => kept.map(row => plainOf(row[name]))),
		);
	};
}

const plainOf = (value: Row[string] | undefined): string | number | null | Uint8Array =>
	typeof value === 'bigint' ? Number(value) : (value ?? null);

function replacing(key: readonly string[], columns: readonly Column[]): string {
	const others = columns.filter(({name}) => !key.includes(name));
	return ` on conflict (${key.join(', ')}) do update set ${others.map(({name}) => `${name} = excluded.${name}`).join(', ')} where claim.at <= excluded.at`;
}

/** One statement cannot change a row twice, so only the newest of rows with equal keys is written. */
function newestOf(rows: readonly Row[], key: readonly string[]): readonly Row[] {
	const newest = new Map<string, Row>();
	for (const row of rows) {
		const name = JSON.stringify(key.map(column => row[column]));
		const before = newest.get(name);
		if (!before || integerOf(before['at']) <= integerOf(row['at'])) {
			newest.set(name, row);
		}
	}

	return [...newest.values()];
}

/** The numbers of rows that a copy of `file` would have; tables that an older schema lacks count as empty. @throws SvcError `store_unreadable`, `store_too_new` */
export async function countSqlite(file: string): Promise<CopyCounts> {
	if (!existsSync(file)) {
		return new Map();
	}

	try {
		using database = new DatabaseSync(file, {readOnly: true});
		versionOf(database, file);
		const origin = sqliteOrigin(database);
		const counting: Pick<CopyOrigin, 'count'> = {
			async count(step) {
				try {
					return await origin.count(step);
				} catch {
					return 0;
				}
			},
		};
		return await countAll(counting, stepsToPostgres);
	} catch (error) {
		throw storeUnreadable(file, error);
	}
}

/** The numbers of rows that a copy of a database would have. */
export const countPostgres = async (url: string): Promise<CopyCounts> =>
	countAll(postgresOrigin(url), stepsToSqlite);
