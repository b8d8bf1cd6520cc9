import type {DatabaseSync} from 'node:sqlite';
import type {RunState} from '../core/run.ts';
import {integerOf, wordOf, type Row} from './columns.ts';
import type {Counters} from './counters.ts';
import type {DueTimes} from './due-times.ts';
import type {Lanes} from './lanes.ts';
import type {Lease} from './port.ts';
import type {RunReader} from './run-reader.ts';

/** A function that leases up to `count` due runs of lanes that have room, oldest first, inside a transaction. `now` is milliseconds since 1970. */
export function createLeasing({
	database,
	counters,
	reader,
	times,
}: {
	readonly database: DatabaseSync;
	readonly counters: Counters;
	readonly reader: RunReader;
	readonly times: DueTimes;
}): (count: number, now: number, lanes: Lanes) => readonly Lease[] {
	const mark = database.prepare(
		'update run set state = ?, attempt = attempt + ?, token = ?, started_at = coalesce(started_at, ?), due_at = null where id = ?',
	);

	const take = (row: Row, now: number): readonly Lease[] => {
		const id = integerOf(row['id']);
		const token = integerOf(row['token']) + 1;
		const from = wordOf<RunState>(row['state']);
		const agent = from === 'queued';
		const state = agent ? 'running' : from;
		mark.run(state, agent ? 1 : 0, token, now, id);
		counters.moved(from, state);
		times.remove(id);
		const run = reader.read(id);
		return run ? [{run, token, phase: agent ? 'agent' : 'deliver'}] : [];
	};

	return (count, now, lanes) => {
		const leases: Lease[] = [];
		for (let taken = 0; taken < count; taken += 1) {
			const row = lanes.first();
			if (!row) {
				break;
			}

			leases.push(...take(row, now));
			lanes.take();
		}

		return leases;
	};
}
