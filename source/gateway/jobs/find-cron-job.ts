import type {Config} from '../../config/config.ts';
import type {Route} from '../../config/route.ts';
import type {Clock} from '../../core/clock.ts';
import type {JsonObject} from '../../core/json.ts';
import {silentLogger} from '../../core/log.ts';
import {orElse} from '../../core/or-else.ts';
import {type FoundJob, findJob, requireJob, unavailableJob} from '../../schedule/find-job.ts';
import {createJobsReader} from '../../schedule/job-file.ts';
import type {JobDefinition} from '../../schedule/job.ts';

/**
 * The job that a route's entry fires, among those of the profile that it is bound to; `undefined` when it fires none. A paused one is found: it may be
 * resumed.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `jobs_broken`
 */
export function findCronJob(
	{clock}: {readonly clock: Clock},
	entry: JsonObject,
	config: Config,
): JobDefinition | undefined {
	const {cron_job: reference, profile = 'default'} = entry;
	if (typeof reference !== 'string' || typeof profile !== 'string') {
		return undefined;
	}

	const {paths} = config.profiles.of(profile);
	const reader = createJobsReader({paths, clock, log: silentLogger});
	return requireJob(reference, findJob(reader.current(), reference));
}

/** Why events of a route are answered with 503: what its `cron_job` leads to does not fire. What follows the subject in a sentence; `undefined` when it fires, or the route fires none. */
export function problemWithJob(
	{clock}: {readonly clock: Clock},
	{cronJob, profile}: Pick<Route, 'cronJob' | 'profile'>,
	{profiles}: Pick<Config, 'profiles'>,
): string | undefined {
	if (cronJob === undefined) {
		return undefined;
	}

	const {paths} = profiles.of(profile);
	const reader = createJobsReader({paths, clock, log: silentLogger});
	const found = findJob(reader.current(), cronJob);
	if (found.kind === 'unreadable') {
		return `may fire nothing: ${found.problem}; ${lastGoodGoesOn}`;
	}

	return found.kind === 'found' && !found.job.paused ? undefined : firesNothing(cronJob, found);
}

/** What is said beside a file that cannot be used, by a command that has not seen the version before. */
export const lastGoodGoesOn = 'a running gateway goes on with the last good version';

/** What follows the subject in a sentence. */
export const firesNothing = (reference: string, found: FoundJob): string =>
	`fires nothing now: ${unavailableJob(reference, found)}`;

/** The toolsets of the runs of a route: its own, or those of the job that it fires. A job that has gone has none of its own. */
export function toolsetsOfRoute(
	{clock}: {readonly clock: Clock},
	{cronJob, toolsets, profile}: Pick<Route, 'cronJob' | 'toolsets' | 'profile'>,
	config: Config,
): readonly string[] | undefined {
	if (cronJob === undefined) {
		return toolsets;
	}

	return orElse(() => findCronJob({clock}, {cron_job: cronJob, profile}, config)?.toolsets, []);
}
