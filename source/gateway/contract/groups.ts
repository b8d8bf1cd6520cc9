import {z} from 'zod';
import {groupSchema, storedGroupSchema} from '../../core/schemas/group.ts';
import {yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';
import {choiceParameter, limitParameter, numberOf, textParameter} from './parameters.ts';

const params = {id: numberOf('group')};

/** Groups: events that wait together. */
export const groups = {
	/** Pending groups by when they are due, then dispatched ones, newest first. */
	listGroups: get(
		'/v1/groups',
		'Lists groups: pending ones by when they are due, then dispatched ones, newest first.',
		{
			query: {
				state: choiceParameter('Only those that are "pending" or "dispatched".', {
					listed: 'groups',
					values: ['pending', 'dispatched'],
					absent: undefined,
				}),
				profile: textParameter('Only those of this profile.'),
				limit: limitParameter(5000),
			},
			result: z.array(groupSchema),
		},
	),
	getGroup: get('/v1/groups/{id}', 'One group with its events.', {
		params,
		result: storedGroupSchema.optional(),
	}),
	/** Starts the run of a pending group now; `false` when it is not pending any more. */
	dispatchGroup: post(
		'/v1/groups/{id}/dispatch',
		'Starts the run of a pending group now; answers whether it did.',
		{params, result: yesOrNo},
	),
} as const satisfies Operations;
