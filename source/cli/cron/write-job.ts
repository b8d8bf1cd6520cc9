import {ensureHome} from '../../config/home-paths.ts';
import type {JsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {addJob, editJob} from '../../schedule/edit-jobs.ts';
import type {JobDefinition} from '../../schedule/job.ts';
import {nextAfter, nextTimes} from '../../schedule/when.ts';
import {zonedIsoTime, zonedTime} from '../../terminal/text/time.ts';
import type {Context} from '../console/context.ts';
import {tell, printResult} from '../console/print.ts';
import {readPlatformProblems} from './open-jobs.ts';

const shownTimes = 3;

/**
 * Adds a job with these settings to the profile's file; prints its identifier and its next time. A running gateway notices the change.
 *
 * @throws SvcError `job_refused`, `jobs_broken`
 */
export async function createJob(
	context: Context,
	settings: JsonObject,
	{json}: {readonly json: boolean | undefined},
): Promise<void> {
	const paths = context.paths();
	ensureHome(paths);
	const job = await addJob(paths, settings, context);
	const {id, name, timeZone, paused} = job;
	await tellProblem(context, job);
	const times = nextTimes(job.schedule, {afterMs: context.clock.now(), count: shownTimes});
	const next = times.map(at => zonedIsoTime(at, timeZone));
	const lines = [
		escapeLine(`Added ${id} (${name})`, Infinity),
		...times.map(
			(at, index) => `${index === 0 ? 'next  ' : '      '}${zonedTime(at, timeZone)} ${timeZone}`,
		),
		...(paused ? [`It is paused: svc cron resume ${id}`] : []),
	];
	printResult(context, {json, value: {id, name, timeZone, paused, next}, lines});
}

/**
 * Changes these settings of a job in the profile's file; its identifier, runs and answers are kept. A running gateway notices the change.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_refused`, `jobs_broken`
 */
export async function changeJob(
	context: Context,
	changes: JsonObject,
	{reference, json}: {readonly reference: string; readonly json: boolean | undefined},
): Promise<void> {
	const changed = Object.keys(changes);
	if (changed.length === 0) {
		tell(context, 'Nothing to change: name at least one flag, see svc cron edit --help');
		context.exit(2);
		return;
	}

	const job = await editJob(context.paths(), {reference, changes}, context);
	const {id, name, timeZone, paused} = job;
	await tellProblem(context, job);
	const at = nextAfter(job.schedule, context.clock.now());
	const next = at === undefined ? null : zonedIsoTime(at, timeZone);
	const lines = [
		`Changed ${id} (${name}): ${changed.join(', ')}`,
		...(at === undefined || paused ? [] : [`next  ${zonedTime(at, timeZone)} ${timeZone}`]),
	];
	printResult(context, {json, value: {id, name, changed, paused, next}, lines});
}

/** Says why answers of the job would not arrive. */
async function tellProblem(context: Context, {name, target}: JobDefinition): Promise<void> {
	const problem = (await readPlatformProblems(context))(target.kind);
	if (problem !== undefined) {
		tell(context, `Job "${name}" ${problem}`);
	}
}
