import type {PoolClient, QueryResult} from 'pg';
import {floorOfRow, type Row, type Scan} from '../columns.ts';
import type {Parameter, Statements} from './database.ts';

/** Text as PostgreSQL takes it. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\u{2400}');

const clean = (value: Parameter): unknown => {
	if (typeof value === 'string') {
		return withoutNul(value);
	}

	if (Array.isArray(value)) {
		return value.map((one: string | number | null | Uint8Array) =>
			typeof one === 'string' ? withoutNul(one) : one,
		);
	}

	return value;
};

/** Sends one statement. @throws what the driver throws */
export const ask = async (
	client: Pick<PoolClient, 'query'>,
	text: string,
	values: readonly Parameter[] = [],
): Promise<QueryResult<Row>> => client.query<Row>(text, values.map(clean));

/** Where stretches of a table end, none of them below `bottom`. */
export const floorIn =
	(
		{query}: Pick<Statements, 'query'>,
		table: 'delivery' | 'run',
		bottom = 0,
	): Scan<never>['floorOf'] =>
	async (top, length) => {
		const [row] = await query(
			`select min(id) as floor from (select id from ${table} where id < $1 and id >= $2 order by id desc limit $3) as stretch`,
			[top, bottom, length],
		);
		return floorOfRow(row);
	};

/** The columns of rows, as `unnest` takes them. */
export const columnsOf = <Item>(
	items: readonly Item[],
	...keys: ReadonlyArray<keyof Item>
): Parameter[] =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is written are texts, numbers and bytes
	keys.map(key => items.map(item => (item[key] ?? null) as string | number | null));
