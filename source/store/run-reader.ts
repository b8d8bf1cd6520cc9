import type {DatabaseSync} from 'node:sqlite';
import type {Run, StoredRun} from '../core/run.ts';
import {floorOfRow} from './columns.ts';
import {newestFirst, pageOf} from './newest-first.ts';
import type {Runs} from './port.ts';
import {entryOf, planColumn, runColumns, runOf, runTables, storedRunOf} from './run-rows.ts';
import {transcriptEnd, transcriptStart} from './transcripts.ts';

/** Rows that are looked at in one go. */
const stretch = 10_000;

export type RunReader = {
	/** The whole run, now. */
	read(runId: number): StoredRun | undefined;
	/** What faces list of it, now. */
	view(runId: number): Run | undefined;
	readonly list: Runs['list'];
};

/** Reads runs; needs no write access. */
export function createRunReader(database: DatabaseSync): RunReader {
	const one = database.prepare(
		`select ${runColumns}, ${planColumn}, answer.rest from ${runTables} where run.id = ?`,
	);
	const brief = database.prepare(`select ${runColumns} from ${runTables} where run.id = ?`);
	const entries = database.prepare(
		'select at, kind, text, data from transcript where id >= ? and id < ? order by id',
	);
	const floor = database.prepare(
		`select min(id) as floor from (select id from run where id < ? order by id desc limit ${stretch})`,
	);
	const matches = database.prepare(
		`select ${runColumns} from ${runTables}
		where run.id >= ?1 and run.id < ?2 and (?3 is null or run.route = ?3)
			and (?4 is null or run.state in (select value from json_each(?4)))
			and (?5 is null or run.job = ?5)
			and (?6 is null or run.profile = ?6)
		order by run.id desc limit ?7`,
	);

	return {
		read(runId) {
			const row = one.get(runId);
			return (
				row &&
				storedRunOf(row, entries.all(transcriptStart(runId), transcriptEnd(runId)).map(entryOf))
			);
		},
		view(runId) {
			const row = brief.get(runId);
			return row && runOf(row);
		},
		async list({states, profile, route, job, before = Number.MAX_SAFE_INTEGER, limit}) {
			const wanted = states === undefined ? null : JSON.stringify(states);
			return newestFirst(
				{
					floorOf: top => floorOfRow(floor.get(top)),
					find: ({floor: from, top, count}) =>
						matches
							.all(from, top, route ?? null, wanted, job ?? null, profile ?? null, count)
							.map(runOf),
				},
				{before, limit: pageOf(limit)},
			);
		},
	};
}
