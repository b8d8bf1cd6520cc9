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
 * The job that a route's entry triggers, from the entry's profile; `undefined` when it has no `cron_job`. Also finds a paused job: it may be resumed.
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

/** Why events of a route are answered with 503: its `cron_job` cannot be fired. The end of a sentence; `undefined` when the job can be fired, or the route has none. */
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

/** What a command says of an unusable file, since it has not seen the earlier version. */
export const lastGoodGoesOn = 'a running gateway goes on with the last good version';

/** The end of a sentence whose subject is the route. */
export const firesNothing = (reference: string, found: FoundJob): string =>
	`fires nothing now: ${unavailableJob(reference, found)}`;

/** The toolsets of a route's runs: its own, or those of its job. A missing job has none. */
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
