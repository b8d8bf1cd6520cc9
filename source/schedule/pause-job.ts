import type {HomePaths} from '../config/config.ts';
import type {Clock} from '../core/clock.ts';
import {isJsonObject} from '../core/json.ts';
import {editJobs} from './edit-jobs.ts';
import {findJob, requireJob} from './find-job.ts';
import {interpretJob} from './job.ts';

/**
 * Writes whether the job that `reference` leads to is paused; its identifier and name.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, and as `editJobs`
 */
export async function setJobPaused(
	paths: Pick<HomePaths, 'cron' | 'run'>,
	{reference, paused}: {readonly reference: string; readonly paused: boolean},
	{clock}: {readonly clock: Clock},
): Promise<{readonly id: string; readonly name: string}> {
	return editJobs(
		paths,
		before => {
			const set = {entries: before.map(interpretJob), complete: true};
			const {id, name} = requireJob(reference, findJob(set, reference));
			const entries = before.map(entry =>
				isJsonObject(entry) && entry['id'] === id ? {...entry, paused} : entry,
			);
			return {entries, value: {id, name}};
		},
		{clock},
	);
}
