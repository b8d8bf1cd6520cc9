import {z} from 'zod';
import {groupSchema, storedGroupSchema} from '../../core/schemas/group.ts';
import {yesOrNo} from '../../core/schemas/parts.ts';
import type {Operations} from './operation.ts';
import {choiceParameter, limitParameter, numberOf, textParameter} from './parameters.ts';

const params = {id: numberOf('group')};

/** Events that wait together. */
export const groups = {
	/** Pending ones by when they are due, then dispatched ones, newest first. */
	listGroups: {
		method: 'GET',
		path: '/v1/groups',
		summary: 'Lists groups: pending ones by when they are due, then dispatched ones, newest first.',
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
	getGroup: {
		method: 'GET',
		path: '/v1/groups/{id}',
		summary: 'One group with its events.',
		params,
		result: storedGroupSchema.optional(),
	},
	/** Starts the run of a pending group now; `false` when it is not pending any more. */
	dispatchGroup: {
		method: 'POST',
		path: '/v1/groups/{id}/dispatch',
		summary: 'Starts the run of a pending group now; answers whether it did.',
		params,
		result: yesOrNo,
	},
} as const satisfies Operations;
