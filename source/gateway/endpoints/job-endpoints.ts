import {z} from 'zod';
import {answered, type ControlEndpoint, nameOf, taking} from './endpoint.ts';

const profile = z.string().exactOptional();

/** Scheduled jobs. */
export const jobEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/jobs',
		summary: 'Every scheduled job, also those that cannot be used, with the reason.',
		handle: port => port.listJobs(),
	},
	{
		method: 'POST',
		path: '/v1/jobs/{job}/run',
		summary:
			'Queues a run of a job now, by its identifier or name. Body: {"profile": "of the job"} or nothing.',
		...taking(z.strictObject({profile}), async (port, options, request) =>
			port.runJob(nameOf(request, 'job'), options),
		),
	},
	{
		method: 'POST',
		path: '/v1/jobs/{job}/pause',
		summary:
			'Pauses or resumes a job in its file. Body: {"paused": true or false, "profile": "of the job"}.',
		...taking(z.strictObject({paused: z.boolean(), profile}), async (port, options, request) =>
			answered(port.setJobPaused(nameOf(request, 'job'), options)),
		),
	},
];
