import {systemClock} from '../../core/clock.ts';
import {parseFilter} from '../../core/filter/filter.ts';
import {type OnBroken, readRows} from '../broken-rows.ts';
import {floorOfRow, integerOf, jsonOf, type Row, pageOf} from '../columns.ts';
import type {HistoryItems, HistoryNoun, HistoryQuestion, HistoryStep} from '../history/port.ts';
import type {SqlPart} from '../history/sql-conditions.ts';
import {stepMs} from '../history/under-way.ts';
import type {Parameter, Statements} from './database.ts';
import {narrowingOf, postgresNouns, type PostgresHistoryOf} from './history-nouns.ts';

/** How long one stretch of rows should take, milliseconds: the clock is looked at between them. */
const stretchMs = 15;

/** Rows of a stretch: of the first one, and at most. Of each that passes there its number comes here. */
const stretchRows = {first: 2000, withBody: 200, most: 50_000} as const;

/** Rows that are fetched at once, and those whose bodies are read. */
const fetchedRows = {most: 500, withBody: 200} as const;

/** Bodies that are fetched at once, and their bytes together, but for one that has more. */
const fetchedBodies = {rows: 200, bytes: 1024 * 1024} as const;

/** One step: stretch by stretch from the cursor on, until there are `limit` hits, the time is over, or nothing is left. `share`: of the rows of a stretch, where the database is slow. */
export async function searchStep<Noun extends HistoryNoun>(
	statements: Pick<Statements, 'query'>,
	{
		onBroken,
		noun,
		question,
		share,
	}: {
		readonly onBroken: OnBroken;
		readonly noun: Noun;
		readonly question: HistoryQuestion;
		readonly share: number;
	},
): Promise<HistoryStep<HistoryItems[Noun]>> {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record's parts fit each other, which a list of different ones cannot say
	const history = postgresNouns[noun] as PostgresHistoryOf<HistoryItems[Noun], unknown>;
	const {now, before, after} = question;
	const endsAt = systemClock.monotonic() + stepMs;
	const isOver = () => systemClock.monotonic() > endsAt;
	const limit = pageOf(question.limit);
	const filter = parseFilter(question.filter, history.vocabulary);
	const {first, second} = narrowingOf(filter.conditions, history, now);
	const isUp = after !== undefined;
	const stretchSql = numbered(stretchOf(history, first, isUp));
	const rowsSql = numbered(rowsOf(history, second, isUp));
	const countSql = countOf(history, isUp);
	const most = Math.max(
		1,
		Math.trunc(filter.readsBody ? fetchedRows.withBody * share : fetchedRows.most * share),
	);
	const items: Array<HistoryItems[Noun]> = [];
	let scanned = 0;
	let at = isUp ? after : (before ?? Number.MAX_SAFE_INTEGER);
	let length = filter.isEmpty
		? limit
		: Math.max(1, Math.trunc(stretchRows[filter.readsBody ? 'withBody' : 'first'] * share));
	const itemsOf = (row: Row, read: () => Row | undefined) => {
		const asked = history.asked(row, read);
		return filter.matches(asked, now) ? [history.itemOf(asked, row)] : [];
	};

	/** The item of a row that the filter lets pass, and whether its body had to be read for that. */
	const examine = async (row: Row, readBody: ReturnType<typeof createBodies>) => {
		let isRead = false;
		const test = (read: () => Row | undefined) =>
			readRows([row], one => itemsOf(one, read), {table: history.base, onBroken}).flat();
		const [hit] = test(() => {
			isRead = true;
			return undefined;
		});
		const body = isRead ? await readBody(row) : undefined;
		return {isRead, item: body ? test(() => body)[0] : hit};
	};

	/** Where the step ends among these rows, if it does. */
	const lookAt = async (ids: readonly number[]): Promise<number | undefined> => {
		const rows = await statements.query(rowsSql, [ids, ...bindingsOf(second)]);
		const readBody = createBodies(statements, rows);
		for (const row of rows) {
			// oxlint-disable-next-line no-await-in-loop -- in their order
			const {item, isRead} = await examine(row, readBody);
			if (item) {
				items.push(item);
			}

			if (items.length >= limit || (isRead && isOver())) {
				return integerOf(row['cursor']);
			}
		}

		return isOver() ? ids.at(-1) : undefined;
	};

	/** Where the step ends among those that a stretch let pass, if it does. */
	const lookAtAll = async (passed: readonly number[]): Promise<number | undefined> => {
		for (let from = 0; from < passed.length; from += most) {
			// oxlint-disable-next-line no-await-in-loop -- the newest first
			const end = await lookAt(passed.slice(from, from + most));
			if (end !== undefined) {
				return end;
			}
		}

		return undefined;
	};

	for (;;) {
		const beganAt = systemClock.monotonic();
		// oxlint-disable no-await-in-loop -- each begins where the one before ended
		const [stretch] = await statements.query(stretchSql, [...bindingsOf(first), at, length]);
		const edge = floorOfRow(stretch);
		if (edge === undefined) {
			return {items, scanned};
		}

		const tookMs = systemClock.monotonic() - beganAt;
		const end = await lookAtAll(jsonOf<readonly number[]>(stretch?.['passed']));
		if (end !== undefined && end !== edge) {
			const [row] = await statements.query(countSql, isUp ? [at, end] : [end, at]);
			return {items, scanned: scanned + integerOf(row?.['rows']), searchedTo: end};
		}
		// oxlint-enable no-await-in-loop

		scanned += integerOf(stretch?.['rows']);
		at = edge;
		if (isOver() || items.length >= limit) {
			return {items, scanned, searchedTo: at};
		}

		length = Math.min(
			stretchRows.most,
			Math.max(1, Math.trunc(tookMs < stretchMs ? length * 4 : length / 2)),
		);
	}
}

const bindingsOf = (parts: readonly SqlPart[]): readonly Parameter[] =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- conditions bind texts and numbers
	parts.flatMap(({bindings}) => bindings as readonly Parameter[]);

/** SQL with its question marks as PostgreSQL counts them. */
export function numbered(sql: string): string {
	let count = 0;
	return sql.replaceAll('?', () => {
		count += 1;
		return `$${count}`;
	});
}

type Table = Pick<
	PostgresHistoryOf<never, never>,
	'base' | 'cursor' | 'where' | 'columns' | 'tables' | 'searched'
>;

const and = (parts: readonly SqlPart[]): string => parts.map(({sql}) => ` and ${sql}`).join('');

/** The far end of the next stretch from a cursor (exclusive) on, how many rows it has, and those of them that pass. Tables that no part names are not read. */
function stretchOf(
	{cursor, tables, searched = tables, where}: Table,
	parts: readonly SqlPart[],
	isUp: boolean,
): string {
	const order = `order by ${cursor} ${isUp ? 'asc' : 'desc'}`;
	return `select ${isUp ? 'max' : 'min'}(id) as floor, count(*) as rows, coalesce(json_agg(id) filter (where fits), '[]')::text as passed
		from (
			select ${cursor} as id, true${and(parts)} as fits
			from ${searched} where ${cursor} ${isUp ? '>' : '<'} ?::bigint${where === undefined ? '' : ` and ${where}`} ${order} limit ?
		) as stretch`;
}

const rowsOf = (
	{columns, tables, cursor}: Table,
	parts: readonly SqlPart[],
	isUp: boolean,
): string =>
	`select ${columns}, ${cursor} as cursor from ${tables} where ${cursor} = any(?::bigint[])${and(parts)} order by ${cursor} ${isUp ? 'asc' : 'desc'}`;

/** How many rows there are from one cursor to another, without that where the step began. */
const countOf = ({cursor, base, where}: Table, isUp: boolean): string =>
	`select count(*) as rows from ${base} where ${cursor} ${isUp ? '>' : '>='} $1 and ${cursor} ${isUp ? '<=' : '<'} $2${where === undefined ? '' : ` and ${where}`}`;

/** Headers and body of each of `rows`, which are asked for in their order; some are fetched together. */
function createBodies(
	{query}: Pick<Statements, 'query'>,
	rows: readonly Row[],
): (row: Row) => Promise<Row | undefined> {
	let fetched = new Map<number, Row>();
	let fetchedTo = 0;
	return async row => {
		const index = rows.indexOf(row);
		if (index >= fetchedTo) {
			const ids: number[] = [];
			let bytes = 0;
			for (const next of rows.slice(index, index + fetchedBodies.rows)) {
				bytes += integerOf(next['body_bytes']);
				if (ids.length > 0 && bytes > fetchedBodies.bytes) {
					break;
				}

				ids.push(integerOf(next['id']));
			}

			fetchedTo = index + ids.length;
			const found = await query(
				'select id, headers, body from delivery where id = any($1::bigint[]) and body is not null',
				[ids],
			);
			fetched = new Map(found.map(one => [integerOf(one['id']), one]));
		}

		return fetched.get(integerOf(row['id']));
	};
}
