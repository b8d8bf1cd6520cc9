import {systemClock} from '../../core/clock.ts';
import {parseFilter} from '../../core/filter/filter.ts';
import type {Condition} from '../../core/filter/payload-terms.ts';
import {type OnBroken, readRows} from '../broken-rows.ts';
import {type Bindings, floorOfRow, integerOf, jsonOf, type Row, pageOf} from '../columns.ts';
import type {HistoryOf} from './nouns.ts';
import type {HistoryItems, HistoryNoun, HistoryQuestion, HistoryStep} from './port.ts';
import type {SqlFields, SqlPart} from './sql-conditions.ts';
import {stepMs} from './under-way.ts';

/** How the history of an engine is queried. */
export type HistoryEngine = {
	/** Queries rows by SQL with a question mark for each binding. */
	readonly ask: (
		sql: string,
		bindings: ReadonlyArray<Bindings[number] | readonly number[]>,
	) => Promise<readonly Row[]>;
	readonly onBroken: OnBroken;
	/** The nouns with a history, by name. */
	readonly nouns: Readonly<Record<HistoryNoun, unknown>>;
	readonly narrowingOf: (
		conditions: readonly Condition[],
		columns: SqlFields,
		now: number,
	) => Narrowing;
	readonly words: {
		/** SQL for the JSON list of the numbers in one column whose rows are true in another. */
		readonly list: (column: string, fits: string) => string;
		/** SQL condition: a bound list of numbers contains the column. */
		readonly among: (column: string) => string;
	};
	/** Rows per stretch: the first one, one whose bodies are read, the maximum; and the factor by which stretches grow while they are fast. */
	readonly stretchRows: Readonly<Record<'first' | 'withBody' | 'most' | 'growth', number>>;
	/** Fraction of those rows to use when the database is slow. */
	readonly share?: number;
};

/** `first` is tested on all rows of a stretch, `second` on those that pass it. */
export type Narrowing = {readonly first: readonly SqlPart[]; readonly second: readonly SqlPart[]};

/** Target duration of one stretch, milliseconds: the clock is read between stretches. */
const stretchMs = 15;

/** Maximum number of rows fetched at once: `most`, or `withBody` when the filter reads bodies. */
const fetchedRows = {most: 500, withBody: 200} as const;

/** Maximum number and total size of bodies fetched at once; a larger single body is fetched alone. */
const fetchedBodies = {rows: 200, bytes: 1024 * 1024} as const;

/**
 * One step: reads stretches from the cursor on until there are `limit` hits, the time is over, or no rows are left. `share`: fraction of the rows per stretch to use when
 * the database is slow.
 */
export async function searchStep<Noun extends HistoryNoun>(
	{ask, onBroken, nouns, narrowingOf, words, stretchRows, share = 1}: HistoryEngine,
	noun: Noun,
	question: HistoryQuestion,
): Promise<HistoryStep<HistoryItems[Noun]>> {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record's parts fit each other, which a list of different ones cannot say
	const history = nouns[noun] as HistoryOf<HistoryItems[Noun], unknown>;
	const {now, before, after} = question;
	const endsAt = systemClock.monotonic() + stepMs;
	const isOver = () => systemClock.monotonic() > endsAt;
	const limit = pageOf(question.limit);
	const filter = parseFilter(question.filter, history.vocabulary);
	const {first, second} = narrowingOf(filter.conditions, history, now);
	const isUp = after !== undefined;
	const stretchSql = stretchOf(history, first, {isUp, words});
	const rowsSql = rowsOf(history, second, {isUp, words});
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

	/** Tests the filter on a row: the item if it passes, and whether its body had to be read. */
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

	/** Tests these rows; returns the cursor where the step ends, if it does. */
	const lookAt = async (ids: readonly number[]): Promise<number | undefined> => {
		const rows = await ask(rowsSql, [ids, ...bindingsOf(second)]);
		const readBody = createBodies({ask, words}, rows);
		for (const row of rows) {
			// oxlint-disable-next-line no-await-in-loop -- in order
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

	/** Tests the rows that passed a stretch; returns the cursor where the step ends, if it does. */
	const lookAtAll = async (passed: readonly number[]): Promise<number | undefined> => {
		for (let from = 0; from < passed.length; from += most) {
			// oxlint-disable-next-line no-await-in-loop -- newest first
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
		const [stretch] = await ask(stretchSql, [...bindingsOf(first), at, length]);
		const edge = floorOfRow(stretch);
		if (edge === undefined) {
			return {items, scanned};
		}

		const tookMs = systemClock.monotonic() - beganAt;
		const end = await lookAtAll(jsonOf<readonly number[]>(stretch?.['passed']));
		if (end !== undefined && end !== edge) {
			const [row] = await ask(countSql, isUp ? [at, end] : [end, at]);
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
			Math.max(1, Math.trunc(tookMs < stretchMs ? length * stretchRows.growth : length / 2)),
		);
	}
}

const bindingsOf = (parts: readonly SqlPart[]): Bindings => parts.flatMap(({bindings}) => bindings);

type Table = Pick<
	HistoryOf<never, never>,
	'base' | 'cursor' | 'where' | 'columns' | 'tables' | 'searched'
>;

type Said = Pick<HistoryEngine, 'words'> & {readonly isUp: boolean};

const and = (parts: readonly SqlPart[]): string => parts.map(({sql}) => ` and ${sql}`).join('');

/**
 * SQL for the far end (exclusive) of the next stretch from a cursor on, its number of rows, and those that pass. Tables that no part needs are not read; `case` makes
 * SQLite stop once a part fails.
 */
function stretchOf(
	{cursor, tables, searched = tables, where}: Table,
	parts: readonly SqlPart[],
	{isUp, words}: Said,
): string {
	const order = `order by ${cursor} ${isUp ? 'asc' : 'desc'}`;
	return `select ${isUp ? 'max' : 'min'}(id) as floor, count(*) as rows, ${words.list('id', 'fits')} as passed
		from (
			select ${cursor} as id, case when true${and(parts)} then true else false end as fits
			from ${searched} where ${cursor} ${isUp ? '>' : '<'} cast(? as bigint)${where === undefined ? '' : ` and ${where}`} ${order} limit ?
		) as stretch`;
}

const rowsOf = (
	{columns, tables, cursor}: Table,
	parts: readonly SqlPart[],
	{isUp, words}: Said,
): string =>
	`select ${columns}, ${cursor} as cursor from ${tables} where ${words.among(cursor)}${and(parts)} order by ${cursor} ${isUp ? 'asc' : 'desc'}`;

/** SQL for the number of rows between two cursors, excluding the one where the step began. */
const countOf = ({cursor, base, where}: Table, isUp: boolean): string =>
	`select count(*) as rows from ${base} where ${cursor} ${isUp ? '>' : '>='} ? and ${cursor} ${isUp ? '<=' : '<'} ?${where === undefined ? '' : ` and ${where}`}`;

/** Returns a function that reads headers and body of each of `rows`, called in their order; it fetches several at once. */
function createBodies(
	{ask, words}: Pick<HistoryEngine, 'ask' | 'words'>,
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
			const found = await ask(
				`select id, headers, body from delivery where ${words.among('id')} and body is not null`,
				[ids],
			);
			fetched = new Map(found.map(one => [integerOf(one['id']), one]));
		}

		return fetched.get(integerOf(row['id']));
	};
}
