import type {DatabaseSync} from 'node:sqlite';
import {integerOf, nullableInteger, optional, textOf, type Row} from './columns.ts';
import type {JobRecord, Jobs} from './port.ts';

/** Reads jobs; needs no write access. */
export function createJobReader(database: DatabaseSync): Pick<Jobs, 'list'> {
	const all = database.prepare(
		`select profile, id, next_at, basis, last_at, last_run,
			(select count(*) from run where run.job = job.id and run.profile = job.profile and finished_at is null) as open
		from job order by profile, id`,
	);
	return {list: async () => all.all().map(recordOf)};
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
