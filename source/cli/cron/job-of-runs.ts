import {SvcError} from '../../core/errors.ts';
import type {JobView} from '../../core/job.ts';
import {silentLogger} from '../../core/log.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {createJobsReader} from '../../schedule/job-file.ts';
import {jobIdPattern} from '../../schedule/job.ts';
import type {Context} from '../console/context.ts';
import {findGateway} from '../home/gateway-access.ts';

/**
 * The identifier of the job whose runs are requested. An identifier is accepted as it is, since runs outlive their job; a name is searched in the profile, then
 * among the jobs of a running gateway, including other profiles'.
 *
 * @throws SvcError `job_not_found`, `job_ambiguous`, `jobs_broken`
 */
export async function jobOfRuns(context: Context, reference: string): Promise<string> {
	if (jobIdPattern.test(reference)) {
		return reference;
	}

	const {clock} = context;
	const paths = context.paths();
	const {entries, problem} = createJobsReader({paths, clock, log: silentLogger}).current();
	const own = onlyJob(
		reference,
		entries.map(({job: {id, name}}) => ({id, name, profile: paths.profile})),
	);
	const gateway = own === undefined ? await findGateway(context) : undefined;
	const found = own ?? (gateway && onlyJob(reference, await gateway.listJobs()));
	if (found !== undefined) {
		return found;
	}

	if (problem !== undefined) {
		throw new SvcError('jobs_broken', problem);
	}

	const where = gateway
		? 'neither this profile nor another one that the gateway serves has one'
		: 'this profile has none, and the names in other profiles are known only while their gateway runs';
	throw new SvcError(
		'job_not_found',
		`Cannot find a job named "${escapeLine(reference, 100)}": ${where}; the runs of a job that is gone are found by its identifier`,
	);
}

/** @throws SvcError `job_ambiguous` */
function onlyJob(
	reference: string,
	jobs: ReadonlyArray<Pick<JobView, 'id' | 'name' | 'profile'>>,
): string | undefined {
	const named = jobs.filter(({name}) => name === reference);
	const [job, ...others] = named;
	if (others.length > 0) {
		throw new SvcError(
			'job_ambiguous',
			`Cannot tell which job "${escapeLine(reference, 100)}" is meant: use ${named.map(({id, profile}) => `${id} (${profile})`).join(' or ')}`,
		);
	}

	return job?.id;
}
