import type {Group} from '../../core/group.ts';
import {type ControlEndpoint, limitOf, numberOf} from './endpoint.ts';

const mostGroups = 5000;

/** Events that wait together. */
export const groupEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/groups',
		summary: 'Lists groups: pending ones by when they are due, then dispatched ones, newest first.',
		query: {
			state: 'Only those that are "pending" or "dispatched".',
			limit: '1 to 5000; 100 when absent.',
		},
		handle(port, request) {
			// A state that does not exist matches nothing.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const state = request.query.get('state') as Group['state'] | null;
			return port.listGroups({
				...(state !== null && {state}),
				limit: limitOf(request, mostGroups),
			});
		},
	},
	{
		method: 'GET',
		path: '/v1/groups/{id}',
		summary: 'One group with its events.',
		handle: (port, request) => port.getGroup(numberOf(request, 'group')),
	},
	{
		method: 'POST',
		path: '/v1/groups/{id}/dispatch',
		summary: 'Starts the run of a pending group now; answers whether it did.',
		handle: (port, request) => port.dispatchGroup(numberOf(request, 'group')),
	},
];
