import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import type {OnBroken} from './broken-rows.ts';
import {floorOfRow, type Row, type Scan} from './columns.ts';
import {subjectColumn} from './delivery-rows.ts';

/** What readers need of a database engine: queries that both engines understand are written once, and this type covers the differences. */
export type Engine = {
	/** Prepares a statement with parameters `$1`, `$2`, … */
	readonly prepare: (
		sql: string,
	) => (
		...values: ReadonlyArray<string | number | null | readonly string[]>
	) => Promise<readonly Row[]>;
	readonly onBroken: OnBroken;
	/** SQL condition: the parameter is null, or a list of texts that contains the column. */
	readonly among: (column: string, parameter: string) => string;
	/** SQL after a table's name that makes it use this index. */
	readonly indexedBy: (index: string) => string;
	/** The SQL function for the lesser of two numbers. */
	readonly least: string;
	/** SQL of the condition of a small index, when it has all runs in these states: they are then found however old they are. */
	readonly fewOf?: (states: readonly RunState[] | undefined) => string | undefined;
	/** SQL expressions: the subject of a delivery, the subject of a run, the profile of an approval. */
	readonly subject: string;
	readonly runSubject: string;
	readonly approvalProfile: string;
	/** Number of rows that the first statement of a listing examines, and the maximum for any statement: finding rare matches takes long, but no single statement may. */
	readonly stretches: Readonly<
		Record<'delivery' | 'run', {readonly first: number; readonly most: number}>
	>;
};

/** Replaces `$` parameters by SQLite's syntax. */
export const sqliteSql = (sql: string): string => sql.replaceAll(/\$(?=\d)/g, '?');

/** SQLite's variants. */
export const sqliteWords: Omit<Engine, 'onBroken' | 'prepare'> = {
	among: (column, parameter) =>
		`(${parameter} is null or ${column} in (select value from json_each(${parameter})))`,
	indexedBy: index => `indexed by ${index}`,
	least: 'min',
	subject: subjectColumn,
	runSubject: `iif(run.conversation is null, ${subjectColumn}, iif(json_valid(job_run.plan), json_extract(job_run.plan, '$.subject'), null))`,
	approvalProfile: "iif(json_valid(data), data ->> 'profile', null)",
	stretches: {delivery: {first: 2000, most: 2000}, run: {first: 10_000, most: 10_000}},
};

/** Compiles a statement when it is first used: the parts of a store prepare 160 of them, and a start needs few. */
export class StoreDatabase extends DatabaseSync {
	override prepare(sql: string): StatementSync {
		let compiled: StatementSync | undefined;
		const statement = () => (compiled ??= super.prepare(sql));
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods of a statement that the store uses
		return {
			run: (...bindings: SQLInputValue[]) => statement().run(...bindings),
			get: (...bindings: SQLInputValue[]) => statement().get(...bindings),
			all: (...bindings: SQLInputValue[]) => statement().all(...bindings),
			iterate: (...bindings: SQLInputValue[]) => statement().iterate(...bindings),
		} as unknown as StatementSync;
	}
}

/** Reads a SQLite store. Statements block the event loop; a stretch of deliveries reads a few hundred bytes to a few kilobytes per row. */
export const sqliteEngine = (database: DatabaseSync, onBroken: OnBroken): Engine => ({
	prepare(sql) {
		const statement = database.prepare(sqliteSql(sql));
		return async (...values) =>
			statement.all(
				...values.map((value): SQLInputValue =>
					typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
				),
			);
	},
	onBroken,
	...sqliteWords,
});

/** Returns a function that finds where stretches of a table end, none of them below `bottom`. */
export function createFloors(
	{prepare}: Engine,
	table: 'delivery' | 'run',
): (bottom?: number) => Scan<never>['floorOf'] {
	const floor = prepare(
		`select min(id) as floor from (select id from ${table} where id < $1 and id >= $2 order by id desc limit $3) as stretch`,
	);
	return (bottom = 0) =>
		async (top, length) =>
			floorOfRow((await floor(top, bottom, length))[0]);
}
