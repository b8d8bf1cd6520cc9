import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {goneMs} from '../../core/state.ts';
import {textOf} from '../columns.ts';
import type {Statements, Transaction} from '../postgres/database.ts';
import type {CopyStep} from './copy-steps.ts';
import type {CopyOrigin} from './ends.ts';

/** Numbers of rows by noun. */
export type CopyCounts = ReadonlyMap<string, number>;

/** The stores of a copy. `time` replaces the clock of the database, milliseconds since 1970. */
export type CopyWorld = {
	readonly clock: Clock;
	readonly time?: (() => number) | undefined;
	/** The path of `state.db`. */
	readonly file: string;
	readonly url: string;
};

/** Progress of copying one table. */
export type CopyProgress = {readonly noun: string; readonly copied: number; readonly all: number};

/** Callbacks of a copy. `complete` is called when all rows are copied, before the copy counts as complete. */
export type CopyEvents = {
	readonly onProgress: (progress: CopyProgress) => void;
	readonly complete: () => Promise<void>;
};

/** Counts the rows of the steps by noun. */
export async function countAll(
	origin: Pick<CopyOrigin, 'count'>,
	steps: readonly CopyStep[],
): Promise<CopyCounts> {
	const counts = new Map<string, number>();
	for (const step of steps) {
		// oxlint-disable-next-line no-await-in-loop -- one connection
		counts.set(step.noun, (counts.get(step.noun) ?? 0) + (await origin.count(step)));
	}

	return counts;
}

/** Checks that all of `counts` was copied. Of identifiers claimed more than once, only the last claim is kept. @throws SvcError `store_copy_incomplete` */
export async function compareCounts(
	counts: CopyCounts,
	origin: Pick<CopyOrigin, 'count'>,
	steps: readonly CopyStep[],
): Promise<void> {
	const wrong: string[] = [];
	for (const [noun, count] of counts) {
		const step = steps.find(one => one.noun === noun);
		if (step) {
			const {from = step.table, ...plain} = step;
			// Only memos are a part of their table on both sides.
			// oxlint-disable-next-line no-await-in-loop -- one connection
			const there = await origin.count(step.table === 'memo' ? {...plain, from} : plain);
			if (step.newestOf ? there > count || (count > 0 && there === 0) : there !== count) {
				wrong.push(`${there} of ${count} ${noun} are there`);
			}
		}
	}

	if (wrong.length > 0) {
		throw new SvcError('store_copy_incomplete', `Cannot finish the copy: ${wrong.join('; ')}`);
	}
}

/** Call it in a transaction with the lock `members`. `name`: the name of the database. @throws SvcError `store_in_use` while a gateway is a member */
export async function refuseMembers(
	{query, now}: Pick<Transaction, 'query' | 'now'>,
	{name, task = 'copy'}: {readonly name: string; readonly task?: string},
): Promise<void> {
	const nodes = await query('select node from member where seen >= $1 order by node limit 5', [
		now - goneMs,
	]);
	if (nodes.length > 0) {
		throw new SvcError(
			'store_in_use',
			`Cannot ${task} while gateways run on ${name}: stop ${nodes.map(row => textOf(row['node'])).join(', ')} (one that has crashed counts as running for a minute)`,
		);
	}
}

/** The kind of the memo in a database that is being filled. */
export const markerKind = 'migration';

/**
 * Call it in a transaction with the lock `members`. `name`: the name of the database.
 *
 * @throws SvcError `store_copy_incomplete` for a database into which a copy was interrupted, or is in progress
 */
export async function refuseHalfCopied(
	{query}: Pick<Transaction, 'query'>,
	name: string,
): Promise<void> {
	const [row] = await query(`select 1 from memo where kind = '${markerKind}' limit 1`);
	if (row) {
		throw new SvcError(
			'store_copy_incomplete',
			`Cannot open the store ${name}: a copy into it has not come to its end. Run "svc gateway migrate-store --to" again`,
		);
	}
}

/** The tables of the schema. */
export const tablesOf = async ({query}: Pick<Statements, 'query'>): Promise<readonly string[]> =>
	(
		await query(
			'select tablename as name from pg_tables where schemaname = current_schema() order by tablename',
		)
	).map(row => textOf(row['name']));
