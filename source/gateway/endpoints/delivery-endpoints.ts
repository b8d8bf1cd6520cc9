import {z} from 'zod';
import type {RunState} from '../../core/run.ts';
import {readWireDelivery, toWire} from '../wire-delivery.ts';
import {
	type ControlEndpoint,
	eventBodyBytes,
	integerOf,
	limitOf,
	nameOf,
	taking,
	textOf,
} from './endpoint.ts';

const changes = z.strictObject({
	body: z.string().exactOptional(),
	route: z.string().exactOptional(),
});

/** What came in. */
export const deliveryEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/deliveries',
		summary: 'Lists deliveries, newest first.',
		query: {
			profile: 'Only those of this profile.',
			route: 'Only those of this route.',
			outcome: 'Only those that ended so; may be repeated.',
			run_state: 'Only those whose run is in this state; may be repeated.',
			since: 'Only those received since, milliseconds since 1970.',
			before: 'Only those before this one, an identifier.',
			limit: '1 to 1000; 100 when absent.',
		},
		handle(port, request) {
			const outcomes = request.query.getAll('outcome');
			// A state that does not exist matches nothing.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const runStates = request.query.getAll('run_state') as RunState[];
			return port.listDeliveries({
				...textOf(request, 'profile'),
				...textOf(request, 'route'),
				...(outcomes.length > 0 && {outcomes}),
				...(runStates.length > 0 && {runStates}),
				...integerOf(request, 'since'),
				...textOf(request, 'before'),
				limit: limitOf(request),
			});
		},
	},
	{
		method: 'POST',
		path: '/v1/deliveries',
		summary:
			'Takes deliveries, as they are read, into the journal under new identifiers; nothing runs. Answers their number.',
		maxBodyBytes: eventBodyBytes,
		...taking(
			z.strictObject({deliveries: z.array(z.unknown()).max(1000)}),
			async (port, {deliveries}) => port.importDeliveries(deliveries.map(readWireDelivery)),
		),
	},
	{
		method: 'GET',
		path: '/v1/deliveries/{id}',
		summary: 'One delivery with its headers and body (base64).',
		async handle(port, request) {
			const stored = await port.getDelivery(nameOf(request, 'id'));
			return stored && toWire(stored);
		},
	},
	{
		method: 'POST',
		path: '/v1/deliveries/{id}/replay-plan',
		summary:
			'What a replay of the delivery would do, without doing it. Body: the same as for the replay.',
		maxBodyBytes: eventBodyBytes,
		...taking(changes, async (port, body, request) => port.planReplay(nameOf(request, 'id'), body)),
	},
	{
		method: 'POST',
		path: '/v1/deliveries/{id}/replay',
		summary:
			'Sends the delivery through the pipeline again. Body: {"body": "replacement", "route": "another route"}, each or both or nothing.',
		maxBodyBytes: eventBodyBytes,
		...taking(changes, async (port, body, request) => port.replay(nameOf(request, 'id'), body)),
	},
];
