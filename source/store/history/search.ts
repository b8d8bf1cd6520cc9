import {DatabaseSync, type SQLInputValue, type StatementSync} from 'node:sqlite';
import {idOfNumber} from '../../core/ids.ts';
import type {OnBroken} from '../broken-rows.ts';
import {createCounts} from './count.ts';
import {sqliteNouns} from './nouns.ts';
import type {CountQuestion, HistoryNoun, HistoryQuestion, SumQuestion} from './port.ts';
import {type HistoryEngine, searchStep} from './search-step.ts';
import {sqliteDialect, sqlOf} from './sql-conditions.ts';
import {createSums} from './sum.ts';
import {stepOf} from './under-way.ts';

/** Maximum number of prepared statements kept for the next steps. */
const keptStatements = 24;

/** Searches the history of one database in steps. It only reads, and keeps nothing open between calls. */
export type HistorySearch = ReturnType<typeof createHistorySearch>;

/** Sums of runs: each step continues where the last one ended, and the final one returns the sums. */
export type Summing = ReturnType<HistorySearch['sum']>;

export function openHistorySearch(file: string, onBroken: OnBroken): HistorySearch & Disposable {
	const database = new DatabaseSync(file, {readOnly: true, timeout: 1000});
	return {
		...createHistorySearch(database, onBroken),
		[Symbol.dispose]: () => database.close(),
	};
}

const isList = (value: unknown): value is readonly number[] => Array.isArray(value);

/** Like `openHistorySearch`, over a connection that its owner closes. */
export function createHistorySearch(database: DatabaseSync, onBroken: OnBroken = () => {}) {
	database.function('base36', {deterministic: true}, value => idOfNumber(Number(value)));
	const prepared = new Map<string, StatementSync>();
	const ask: HistoryEngine['ask'] = async (sql, bindings) => {
		const statement = prepared.get(sql) ?? database.prepare(sql);
		prepared.delete(sql);
		prepared.set(sql, statement);
		for (const [oldest] of prepared) {
			if (prepared.size > keptStatements) {
				prepared.delete(oldest);
			}
		}

		return statement.all(
			...bindings.map((value): SQLInputValue => (isList(value) ? JSON.stringify(value) : value)),
		);
	};

	const engine: HistoryEngine = {
		ask,
		onBroken,
		nouns: sqliteNouns,
		narrowingOf: (conditions, columns, now) => ({
			first: sqlOf(conditions, {columns, now, dialect: sqliteDialect}),
			second: [],
		}),
		words: {
			list: (column, fits) => `json_group_array(${column}) filter (where ${fits})`,
			among: column => `${column} in (select value from json_each(?))`,
		},
		stretchRows: {first: 500, withBody: 500, most: 20_000, growth: 2},
	};
	return {
		search: async <Noun extends HistoryNoun>(noun: Noun, question: HistoryQuestion) =>
			searchStep(engine, noun, question),
		count: async (question: CountQuestion) => stepOf(ask, createCounts(question)),
		sum(question: SumQuestion) {
			const sums = createSums(question);
			return {step: async () => stepOf(ask, sums)};
		},
	};
}
