import {z} from 'zod';
import {runStates} from '../../core/run.ts';
import {maybeText, text, yesOrNo} from '../../core/schemas/parts.ts';
import {runSchema, storedRunSchema, targetSchema} from '../../core/schemas/run.ts';
import {get, post, type Operations} from './operation.ts';
import {
	integerParameter,
	limitParameter,
	numberOf,
	repeatedParameter,
	textParameter,
} from './parameters.ts';

const params = {id: numberOf('run')};

/** Runs of the agent. */
export const runs = {
	listRuns: get('/v1/runs', 'Lists runs, newest first.', {
		query: {
			states: repeatedParameter('state', 'Only those in this state', runStates),
			profile: textParameter('Only those of this profile.'),
			route: textParameter('Only those of this route.'),
			/** The identifier `Run.job.id`. */
			job: textParameter('Only those of this scheduled job, an identifier.'),
			before: integerParameter('Only those before this one, a number.'),
			limit: limitParameter(),
		},
		result: z.array(runSchema),
	}),
	getRun: get('/v1/runs/{id}', 'One run with its plan, transcript and answer.', {
		params,
		result: storedRunSchema.optional(),
	}),
	/** `false` when the run has already ended; such runs are dropped, not cancelled. */
	cancelRun: post(
		'/v1/runs/{id}/cancel',
		'Ends a run that has not ended; answers whether it did.',
		{params, result: yesOrNo},
	),
	/** `false` when the run is not `failed`, `interrupted`, `uncertain` or `dead`. */
	dropRun: post('/v1/runs/{id}/drop', 'Drops a run that ended badly; answers whether it did.', {
		params,
		body: z.strictObject({reason: text.min(1).max(500).exactOptional()}),
		result: yesOrNo,
	}),
	/**
	 * `to`: a kind of target, which uses the run's own target settings if they are of that kind; by default the present target of the run's route or job. Resolves with the
	 * target.
	 *
	 * @throws SvcError `run_not_deliverable`, `target_unusable`, `route_not_found`, `body_not_kept`, `job_not_found`
	 */
	deliverRun: post(
		'/v1/runs/{id}/deliver',
		'Delivers the stored answer of an ended run again, without the agent.',
		{
			params,
			body: z.strictObject({to: maybeText, chatId: maybeText}),
			result: targetSchema.optional(),
		},
	),
	/** `false` when the run is not in a state that can be retried. */
	retryRun: post(
		'/v1/runs/{id}/retry',
		'Puts an ended run back in the queue; answers whether it did.',
		{params, result: yesOrNo},
	),
} as const satisfies Operations;
