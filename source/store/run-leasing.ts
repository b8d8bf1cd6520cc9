import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf} from './columns.ts';
import type {Counters} from './counters.ts';
import type {Lease} from './port.ts';
import type {RunReader} from './run-reader.ts';

/** A function that leases up to `count` due runs, oldest first, inside a transaction. `now` is milliseconds since 1970. */
export function createLeasing({
	database,
	counters,
	reader,
}: {
	readonly database: DatabaseSync;
	readonly counters: Counters;
	readonly reader: RunReader;
}): (count: number, now: number) => readonly Lease[] {
	const due = database.prepare(
		'select id, state, token from run where finished_at is null and due_at <= ? order by due_at, id limit ?',
	);
	const take = database.prepare(
		'update run set state = ?, attempt = attempt + ?, token = ?, started_at = coalesce(started_at, ?), due_at = null where id = ?',
	);
	const newest = database.prepare('select max(id), created_at from run').get();
	let latest = integerOf(newest?.['created_at']);

	return (count, now) => {
		// A wall clock that was set back must not hold up what was accepted before.
		latest = Math.max(latest, now);
		return due.all(latest, count).flatMap(row => {
			const id = integerOf(row['id']);
			const token = integerOf(row['token']) + 1;
			const from = wordOf<RunState>(row['state']);
			const agent = from === 'queued';
			const state = agent ? 'running' : from;
			take.run(state, agent ? 1 : 0, token, now, id);
			counters.moved(from, state);
			const run = reader.read(id);
			return run ? [{run, token, phase: agent ? 'agent' : 'deliver'} as const] : [];
		});
	};
}
