import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {HomePaths} from '../config/config.ts';
import {readTextFile} from '../config/read-text-file.ts';
import {writePrivateFile} from '../config/write-private-file.ts';
import type {Clock} from '../core/clock.ts';
import {withFileLock} from '../core/file-lock.ts';
import type {JsonValue} from '../core/json.ts';
import {entriesOf, jobsFile, maxJobsBytes, parseJobs} from './job-file.ts';

const lockWaitMs = 10_000;

/**
 * Changes `cron/jobs.json`: reads it, writes what `change` makes of its entries, while every other process that does the same waits. Keys that nobody knows
 * stay. `change` may throw, then nothing is written.
 *
 * @returns what `change` says beside the entries
 * @throws SvcError `jobs_broken` for a file that does not parse, which is never overwritten; `file_too_large`, `lock_timeout`
 */
export async function editJobs<Value>(
	paths: Pick<HomePaths, 'cron' | 'run'>,
	change: (entries: readonly JsonValue[]) => {
		readonly entries: readonly JsonValue[];
		readonly value: Value;
	},
	{clock}: {readonly clock: Clock},
): Promise<Value> {
	for (const folder of [paths.run, paths.cron]) {
		mkdirSync(folder, {recursive: true, mode: 0o700});
	}

	return withFileLock(
		join(paths.run, 'jobs.lock'),
		async () => {
			const path = jobsFile(paths);
			const file = parseJobs(readTextFile(path, maxJobsBytes) ?? '', path);
			const {entries: jobs, value} = change(entriesOf(file));
			await writePrivateFile(path, `${JSON.stringify({...file, jobs}, null, 2)}\n`);
			return value;
		},
		{waitMs: lockWaitMs, clock},
	);
}
