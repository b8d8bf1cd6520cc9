import {z} from 'zod';
import {runStates} from '../../core/run.ts';
import {yesOrNo} from '../../core/schemas/parts.ts';
import {runSchema, storedRunSchema} from '../../core/schemas/run.ts';
import type {Operations} from './operation.ts';
import {
	integerParameter,
	limitParameter,
	numberOf,
	repeatedParameter,
	textParameter,
} from './parameters.ts';

const params = {id: numberOf('run')};

/** What the agent does. */
export const runs = {
	listRuns: {
		method: 'GET',
		path: '/v1/runs',
		summary: 'Lists runs, newest first.',
		query: {
			states: repeatedParameter('state', 'Only those in this state', runStates),
			profile: textParameter('Only those of this profile.'),
			route: textParameter('Only those of this route.'),
			/** `Run.job.id`. */
			job: textParameter('Only those of this scheduled job, an identifier.'),
			before: integerParameter('Only those before this one, a number.'),
			limit: limitParameter(),
		},
		result: z.array(runSchema),
	},
	getRun: {
		method: 'GET',
		path: '/v1/runs/{id}',
		summary: 'One run with its plan, transcript and answer.',
		params,
		result: storedRunSchema.optional(),
	},
	/** `false` when the run has ended already. */
	cancelRun: {
		method: 'POST',
		path: '/v1/runs/{id}/cancel',
		summary: 'Ends a run that has not ended; answers whether it did.',
		params,
		result: yesOrNo,
	},
	/** `false` when the run is not in a state that can be retried. */
	retryRun: {
		method: 'POST',
		path: '/v1/runs/{id}/retry',
		summary: 'Puts an ended run back in the queue; answers whether it did.',
		params,
		result: yesOrNo,
	},
} as const satisfies Operations;
