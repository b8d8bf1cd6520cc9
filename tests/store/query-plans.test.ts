import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import {expect, test, vi} from 'vitest';
import {StoreDatabase} from '../../source/store/engine.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {startMs, temporaryFolder} from './samples.ts';

/** Every statement that an open store has prepared. */
async function preparedStatements(file: string): Promise<readonly string[]> {
	using prepare = vi.spyOn(StoreDatabase.prototype, 'prepare');
	await using store = await openSqliteStore({clock: createFakeClock(startMs)}, {file});
	expect(store.lastId).toBe('');
	return [...new Set(prepare.mock.calls.map(([sql]) => sql))];
}

/** What may be read from end to end: indexes of what waits or is worked on, tables with a row for each job or one row, and what opening loads into memory. */
const short = new Set([
	'SCAN coalesce_group USING INDEX group_pending',
	'SCAN run USING INDEX run_leased',
	'SCAN run USING INDEX run_to_decide',
	'SCAN run USING INDEX run_waiting',
	'SCAN usage',
	'SCAN approval USING INDEX approval_waiting',
	'SCAN approval_rule',
	'SCAN job',
	'SCAN api_key',
	// Of these one row is read, or, to add up their bytes, 500 for each key.
	'SCAN session USING COVERING INDEX session_used',
	'SCAN fresh_claim',
	// Of these one row is read, or the newest 10,000.
	'SCAN claim',
	'SCAN delivery USING INDEX delivery_rejected',
	// Parts of the statement itself.
	'SCAN waiting',
]);

test('no statement reads a table from end to end that grows with the journal', async () => {
	using folder = temporaryFolder();
	const file = join(folder.path, 'state.db');
	const statements = await preparedStatements(file);
	using database = new DatabaseSync(file, {readOnly: true});
	const scans = statements
		.filter(sql => /^\s*(?:select|with|insert|update|delete)\b/.test(sql))
		.flatMap(sql => {
			const steps = database.prepare(`explain query plan ${sql}`).all();
			return steps.map(({detail}) => ({sql, detail: String(detail)}));
		})
		.filter(
			({detail}) =>
				detail.startsWith('SCAN') && !/json_each|^SCAN (?:CONSTANT|\(subquery)/.test(detail),
		)
		.filter(({detail}) => !short.has(detail));

	expect(statements.length).toBeGreaterThan(50);
	expect(scans).toEqual([]);
});
