import type {RunState} from '../../core/run.ts';
import {type ControlEndpoint, integerOf, limitOf, numberOf, textOf} from './endpoint.ts';

/** What the agent does. */
export const runEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/runs',
		summary: 'Lists runs, newest first.',
		query: {
			state: 'Only those in this state; may be repeated.',
			profile: 'Only those of this profile.',
			route: 'Only those of this route.',
			job: 'Only those of this scheduled job, an identifier.',
			before: 'Only those before this one, a number.',
			limit: '1 to 1000; 100 when absent.',
		},
		handle(port, request) {
			// A state that does not exist matches nothing.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const states = request.query.getAll('state') as RunState[];
			return port.listRuns({
				...textOf(request, 'profile'),
				...textOf(request, 'route'),
				...textOf(request, 'job'),
				...(states.length > 0 && {states}),
				...integerOf(request, 'before'),
				limit: limitOf(request),
			});
		},
	},
	{
		method: 'GET',
		path: '/v1/runs/{id}',
		summary: 'One run with its plan, transcript and answer.',
		handle: (port, request) => port.getRun(numberOf(request, 'run')),
	},
	{
		method: 'POST',
		path: '/v1/runs/{id}/cancel',
		summary: 'Ends a run that has not ended; answers whether it did.',
		handle: (port, request) => port.cancelRun(numberOf(request, 'run')),
	},
	{
		method: 'POST',
		path: '/v1/runs/{id}/retry',
		summary: 'Puts an ended run back in the queue; answers whether it did.',
		handle: (port, request) => port.retryRun(numberOf(request, 'run')),
	},
];
