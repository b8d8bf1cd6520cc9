import type {DatabaseSync} from 'node:sqlite';
import {integerOf, nullableInteger, optional, textOf, type Row} from './columns.ts';
import type {JobRecord, Jobs} from './port.ts';

/** Reads jobs; needs no write access. */
export function createJobReader(database: DatabaseSync): Pick<Jobs, 'list' | 'get'> {
	const columns = `profile, id, next_at, basis, last_at, last_run,
		(select count(*) from run where run.job = job.id and run.profile = job.profile and finished_at is null) as open`;
	const all = database.prepare(`select ${columns} from job order by profile, id`);
	const one = database.prepare(`select ${columns} from job where profile = ? and id = ?`);
	return {
		list: async () => all.all().map(recordOf),
		async get({profile, id}) {
			const row = one.get(profile, id);
			return row && recordOf(row);
		},
	};
}

const recordOf = (row: Row): JobRecord => ({
	profile: textOf(row['profile']),
	id: textOf(row['id']),
	basis: textOf(row['basis']),
	open: integerOf(row['open']),
	...optional('nextAt', nullableInteger(row['next_at'])),
	...optional('lastAt', nullableInteger(row['last_at'])),
	...optional('lastRunId', nullableInteger(row['last_run'])),
});
