import type {PoolClient, QueryResult} from 'pg';
import type {RunState} from '../../core/run.ts';
import type {Row} from '../columns.ts';
import type {Engine} from '../engine.ts';
import {isToDecide} from '../run-reader.ts';
import type {SqlValue, Statements} from './database.ts';

/** Text that PostgreSQL accepts. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\u{2400}');

const clean = (value: SqlValue): unknown => {
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
	values: readonly SqlValue[] = [],
): Promise<QueryResult<Row>> => client.query<Row>(text, values.map(clean));

/** Converts items to one array per column, for `unnest`. */
export const columnsOf = <Item>(
	items: readonly Item[],
	...keys: ReadonlyArray<keyof Item>
): SqlValue[] =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is written are texts, numbers and bytes
	keys.map(key => items.map(item => (item[key] ?? null) as string | number | null));

/** SQL for the subject of a run's event. */
export const runSubject =
	'case when run.conversation is null then delivery.subject else run.subject end';

/** States that few runs have, and the condition of their index. */
const few: ReadonlyArray<readonly [states: readonly RunState[], sql: string]> = [
	[['interrupted', 'uncertain', 'dead'], isToDecide],
	[
		['queued', 'running', 'delivering'],
		'(run.due_at is not null or (run.finished_at is null and run.due_at is null))',
	],
];

/** The engine of a store on PostgreSQL. */
export const postgresEngine = ({
	query,
	onBroken,
}: Pick<Engine, 'onBroken'> & Pick<Statements, 'query'>): Engine => ({
	prepare:
		sql =>
		async (...values) =>
			query(sql, values),
	onBroken,
	among: (column, parameter) => `(${parameter}::text[] is null or ${column} = any(${parameter}))`,
	indexedBy: () => '',
	least: 'least',
	fewOf: (states = []) =>
		states.length === 0
			? undefined
			: few.find(([own]) => states.every(state => own.includes(state)))?.[1],
	subject: 'subject',
	runSubject,
	approvalProfile: 'profile',
	stretches: {delivery: {first: 5000, most: 80_000}, run: {first: 10_000, most: 160_000}},
});
