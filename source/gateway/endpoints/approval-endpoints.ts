import {z} from 'zod';
import {SvcError} from '../../core/errors.ts';
import {type ControlEndpoint, type ControlRequest, limitOf, numberOf, taking} from './endpoint.ts';

const answer = z.discriminatedUnion('choice', [
	z.strictObject({
		choice: z.literal('allow'),
		scope: z.enum(['once', 'run', 'process', 'always']),
		args: z.union([z.enum(['any', 'exact']), z.array(z.string())]).exactOptional(),
		typedName: z.string().exactOptional(),
	}),
	z.strictObject({choice: z.literal('deny'), reason: z.string().exactOptional()}),
	z.strictObject({choice: z.literal('submit'), content: z.record(z.string(), z.json())}),
]);

/** Calls and forms that wait for a person, and the standing rules. Whoever may open the socket may answer: it is 0600. */
export const approvalEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/approvals',
		summary: 'Lists what waits for a person, oldest first; or what was settled, newest first.',
		query: {
			state: '"waiting" (when absent) or "settled".',
			limit: '1 to 1000; 100 when absent.',
		},
		handle: (port, request) =>
			port.listApprovals({state: stateOf(request), limit: limitOf(request)}),
	},
	{
		method: 'GET',
		path: '/v1/approvals/{id}',
		summary: 'One that waits or was settled.',
		handle: (port, request) => port.getApproval(numberOf(request, 'approval')),
	},
	{
		method: 'POST',
		path: '/v1/approvals/{id}/settle',
		summary:
			'Answers what waits; the first answer wins. Body: {"answer": {"choice": "allow", "scope": "once"} | {"choice": "deny"} | {"choice": "submit", "content": {…}}, "by": "tui" | "cli"}.',
		...taking(z.strictObject({answer, by: z.string().min(1).max(200)}), (port, body, request) =>
			port.settleApproval(numberOf(request, 'approval'), body.answer, body.by),
		),
	},
	{
		method: 'POST',
		path: '/v1/approvals/{id}/extend',
		summary:
			'Moves the deadline by five minutes, as far as the run goes; 404 when it does not wait.',
		handle: (port, request) => port.extendApproval(numberOf(request, 'approval')),
	},
	{
		method: 'GET',
		path: '/v1/approval-rules',
		summary: 'The rules that hold, oldest first.',
		handle: port => port.listApprovalRules(),
	},
	{
		method: 'POST',
		path: '/v1/approval-rules/{id}/revoke',
		summary: 'Ends a rule; answers whether there was one.',
		handle: (port, request) => port.revokeApprovalRule(numberOf(request, 'rule')),
	},
];

function stateOf({query}: ControlRequest): 'waiting' | 'settled' {
	const state = query.get('state') ?? 'waiting';
	if (state !== 'waiting' && state !== 'settled') {
		throw new SvcError(
			'bad_request',
			`Cannot list approvals that are "${state}": use "waiting" or "settled"`,
		);
	}

	return state;
}
