import {z} from 'zod';
import {jobViewSchema} from '../../core/schemas/job.ts';
import {facts, integer, maybeText, yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';

/** Scheduled jobs. `job` is an identifier or a name. */
export const jobs = {
	listJobs: get(
		'/v1/jobs',
		'Every scheduled job, also those that cannot be used, with the reason.',
		{result: z.array(jobViewSchema)},
	),
	/**
	 * Queues a run of a job now, also of a paused one.
	 * @throws SvcError `job_not_found`, `job_ambiguous`, `job_invalid`, `profile_not_served`, `queue_full`
	 */
	runJob: post(
		'/v1/jobs/{job}/run',
		'Queues a run of a job now, by its identifier or name. Body: {"profile": "of the job"} or nothing.',
		{body: z.strictObject({profile: maybeText}), result: facts({runId: integer})},
	),
	/** Pauses or resumes a job in its file. Same errors as `runJob`. */
	setJobPaused: post(
		'/v1/jobs/{job}/pause',
		'Pauses or resumes a job in its file. Body: {"paused": true or false, "profile": "of the job"}.',
		{body: z.strictObject({paused: yesOrNo, profile: maybeText})},
	),
} as const satisfies Operations;
