import {DatabaseSync, type StatementSync} from 'node:sqlite';
import {systemClock} from '../../core/clock.ts';
import {parseFilter} from '../../core/filter/filter.ts';
import {idOfNumber} from '../../core/ids.ts';
import {type OnBroken, readRows} from '../broken-rows.ts';
import {floorOfRow, integerOf, type Row, pageOf} from '../columns.ts';
import {createCounts} from './count.ts';
import {bodyStatement, type HistoryOf, type ReadBody, sqliteNouns} from './nouns.ts';
import type {
	CountQuestion,
	CountStep,
	HistoryItems,
	HistoryNoun,
	HistoryQuestion,
	HistoryStep,
	StoredSums,
	SumQuestion,
} from './port.ts';
import {sqliteDialect, sqlOf, type SqlPart} from './sql-conditions.ts';
import {createSums} from './sum.ts';
import {stepMs, stepOn} from './under-way.ts';

/** How long one stretch of rows should take, milliseconds: the clock is looked at between them. */
const stretchMs = 15;

/** Rows of a stretch: of the first one, and at most. Every row that SQLite lets pass is in memory at once. */
const stretchRows = {first: 500, most: 20_000} as const;

/** Statements that are kept for the next step of the same search. */
const keptStatements = 24;

/** Searches the history of one database in steps. It only reads, and holds nothing open between two calls. */
export type HistorySearch = {
	search<Noun extends HistoryNoun>(
		noun: Noun,
		question: HistoryQuestion,
	): HistoryStep<HistoryItems[Noun]>;
	count(question: CountQuestion): CountStep;
	sum(question: SumQuestion): Summing;
};

/** Sums: each step goes on where the last one ended, and the last one answers them. */
export type Summing = {step(): StoredSums | undefined};

export function openHistorySearch(file: string, onBroken: OnBroken): HistorySearch & Disposable {
	const database = new DatabaseSync(file, {readOnly: true, timeout: 1000});
	return {
		...createHistorySearch(database, onBroken),
		[Symbol.dispose]: () => database.close(),
	};
}

/** The same over a connection of somebody else's, who closes it. */
export function createHistorySearch(
	database: DatabaseSync,
	onBroken: OnBroken = () => {},
): HistorySearch {
	database.function('base36', {deterministic: true}, value => idOfNumber(Number(value)));
	const prepared = new Map<string, StatementSync>();
	const prepare = (sql: string): StatementSync => {
		const statement = prepared.get(sql) ?? database.prepare(sql);
		prepared.delete(sql);
		prepared.set(sql, statement);
		for (const [oldest] of prepared) {
			if (prepared.size > keptStatements) {
				prepared.delete(oldest);
			}
		}

		return statement;
	};

	const read = bodyStatement(database);
	return {
		search(noun, question) {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record's parts fit each other, which a list of different ones cannot say
			const history = sqliteNouns[noun] as HistoryOf<HistoryItems[typeof noun], unknown>;
			return searchOnce({prepare, read, onBroken}, history, question);
		},
		count: question => stepOn(prepare, createCounts(question)),
		sum(question) {
			const sums = createSums(question);
			return {step: () => stepOn(prepare, sums)};
		},
	};
}

type Reading = {
	readonly prepare: (sql: string) => StatementSync;
	readonly read: ReadBody;
	readonly onBroken: OnBroken;
};

/** One step: stretch by stretch from the cursor on, until there are `limit` hits, the time is over, or nothing is left. */
function searchOnce<Item, Asked>(
	{prepare, read, onBroken}: Reading,
	history: HistoryOf<Item, Asked>,
	{filter: text, now, before, after, limit: wanted}: HistoryQuestion,
): HistoryStep<Item> {
	const endsAt = systemClock.monotonic() + stepMs;
	const limit = pageOf(wanted);
	const filter = parseFilter(text, history.vocabulary);
	const parts = sqlOf(filter.conditions, {columns: history, now, dialect: sqliteDialect});
	const isUp = after !== undefined;
	const edges = prepare(edgeSql(history, isUp));
	const rows = prepare(rowsSql(history, parts, isUp));
	const bindings = parts.flatMap(part => part.bindings);
	const items: Item[] = [];
	let scanned = 0;
	let at = isUp ? after : (before ?? Number.MAX_SAFE_INTEGER);
	let length: number = filter.isEmpty ? limit : stretchRows.first;
	const itemsOf = (row: Row): readonly Item[] => {
		const asked = history.asked(row, read);
		return filter.matches(asked, now) ? [history.itemOf(asked, row)] : [];
	};

	for (;;) {
		const beganAt = systemClock.monotonic();
		const stretch: Row | undefined = edges.get(at, length);
		const edge = floorOfRow(stretch);
		if (edge === undefined) {
			return {items, scanned};
		}

		const range = isUp ? [at + 1, edge] : [edge, at - 1];
		for (const row of rows.iterate(...range, ...bindings)) {
			items.push(...readRows([row], itemsOf, {table: history.base, onBroken}).flat());

			// In the middle of a stretch, where nobody has counted what was looked at.
			if (items.length >= limit || (filter.readsBody && systemClock.monotonic() > endsAt)) {
				const place = integerOf(row['cursor']);
				const [low, high] = isUp ? [at + 1, place] : [place, at - 1];
				scanned += integerOf(prepare(countSql(history)).get(low, high)?.['rows']);
				return {items, scanned, searchedTo: place};
			}
		}

		scanned += integerOf(stretch?.['rows']);
		at = edge;
		const tookMs = systemClock.monotonic() - beganAt;
		if (systemClock.monotonic() > endsAt) {
			return {items, scanned, searchedTo: at};
		}

		length = Math.min(
			stretchRows.most,
			Math.max(stretchRows.first, tookMs < stretchMs ? length * 2 : Math.trunc(length / 2)),
		);
	}
}

type Table = Pick<HistoryOf<never, never>, 'base' | 'cursor' | 'where' | 'columns' | 'tables'>;

const kept = ({where}: Table): string => (where === undefined ? '' : ` and ${where}`);

/** The far end of the next stretch from a cursor (exclusive) on, and how many rows it has. */
function edgeSql(table: Table, isUp: boolean): string {
	const {base, cursor} = table;
	const inner = `select ${cursor} as id from ${base} where ${cursor} ${isUp ? '>' : '<'} ?${kept(table)} order by ${cursor} ${isUp ? 'asc' : 'desc'} limit ?`;
	return `select ${isUp ? 'max' : 'min'}(id) as floor, count(*) as rows from (${inner})`;
}

function rowsSql(table: Table, parts: readonly SqlPart[], isUp: boolean): string {
	const {columns, tables, cursor} = table;
	const asked = parts.map(({sql}) => ` and ${sql}`).join('');
	return `select ${columns}, ${cursor} as cursor from ${tables} where ${cursor} >= ? and ${cursor} <= ?${kept(table)}${asked} order by ${cursor} ${isUp ? 'asc' : 'desc'}`;
}

const countSql = (table: Table): string =>
	`select count(*) as rows from ${table.base} where ${table.cursor} >= ? and ${table.cursor} <= ?${kept(table)}`;
