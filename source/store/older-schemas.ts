import type {DatabaseSync} from 'node:sqlite';

/** What the readers ask for and versions 1 to 3 do not have. Views of the connection hide the tables of the file. */
const beforeGroups = `
	create temp view run as select old.*, null as grp, null as superseded, null as job, null as job_name,
		(select profile from main.delivery where id = old.delivery) as profile from main.run as old;
	create temp view job_run as select null as run, null as event, null as plan where false;
	create temp view coalesce_group as select null as id, null as profile, null as route, null as key, null as first_at, null as last_at, null as quiet_at,
		null as cap_at, null as count, null as latest, null as target, null as dispatched_at, null as reason, null as run where false;
	create temp view job as select null as profile, null as id, null as next_at, null as basis, null as last_at, null as last_run where false;
`;

/** What they ask for and versions 1 to 4 do not have. */
const beforeApprovals = `
	create temp view approval as select null as id, null as settled_at, null as data where false;
	create temp view approval_rule as select null as id, null as uses, null as data where false;
`;

/** Lets a file of an older version look like one of this version to those who only read. Nothing in the file changes; it may be open read-only. */
export function showAsCurrent(database: DatabaseSync, version: number): void {
	if (version < 4) {
		database.exec(beforeGroups);
	}

	if (version < 5) {
		database.exec(beforeApprovals);
	}
}
