import type {PoolClient, QueryResult} from 'pg';
import type {Row} from '../columns.ts';
import type {Parameter} from './database.ts';

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
