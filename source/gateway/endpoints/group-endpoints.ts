import {SvcError} from '../../core/errors.ts';
import type {Group} from '../../core/group.ts';
import {type ControlEndpoint, type ControlRequest, limitOf, numberOf} from './endpoint.ts';

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
		handle: async (port, request) =>
			port.listGroups({...stateOf(request), limit: limitOf(request, mostGroups)}),
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

function stateOf({query}: ControlRequest): {readonly state?: Group['state']} {
	const state = query.get('state');
	if (state === null) {
		return {};
	}

	if (state !== 'pending' && state !== 'dispatched') {
		throw new SvcError(
			'bad_request',
			`Cannot list groups that are "${state}": use "pending" or "dispatched"`,
		);
	}

	return {state};
}
