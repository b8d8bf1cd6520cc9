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
 * stay. `change` may return what it got, then nothing is written, or throw, then neither.
 *
 * @throws SvcError `jobs_broken` for a file that does not parse, which is never overwritten; `file_too_large`, `lock_timeout`
 */
export async function editJobs(
	paths: Pick<HomePaths, 'cron' | 'run'>,
	change: (entries: readonly JsonValue[]) => readonly JsonValue[],
	{clock}: {readonly clock: Clock},
): Promise<void> {
	for (const folder of [paths.run, paths.cron]) {
		mkdirSync(folder, {recursive: true, mode: 0o700});
	}

	await withFileLock(
		join(paths.run, 'jobs.lock'),
		async () => {
			const path = jobsFile(paths);
			const file = parseJobs(readTextFile(path, maxJobsBytes) ?? '', path);
			const entries = entriesOf(file);
			const changed = change(entries);
			if (changed !== entries) {
				await writePrivateFile(path, `${JSON.stringify({...file, jobs: changed}, null, 2)}\n`);
			}
		},
		{waitMs: lockWaitMs, clock},
	);
}
