import {z} from 'zod';
import {answered, type ControlEndpoint, eventBodyBytes, nameOf, taking} from './endpoint.ts';

/** Routes, the model, and the gateway as a whole. */
export const gatewayEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/routes',
		summary: 'Every route, also those that are not served, with the reason.',
		handle: port => port.listRoutes(),
	},
	{
		method: 'POST',
		path: '/v1/routes/{name}/test',
		summary:
			'Sends a signed test event through the HTTP port. Body: {"payload": "…", "event": "…"} or nothing.',
		...taking(
			z.strictObject({payload: z.string().exactOptional(), event: z.string().exactOptional()}),
			async (port, options, request) => port.sendTestEvent(nameOf(request, 'name'), options),
		),
	},
	{
		method: 'GET',
		path: '/v1/routes/{name}/curl',
		summary: 'A curl line that sends a signed test event.',
		handle: (port, request) => port.curlLine(nameOf(request, 'name')),
	},
	{
		method: 'POST',
		path: '/v1/routes/{name}/recover',
		summary:
			'Takes in an event that its sender could not deliver and has been asked for. Body: {"delivery_id": "…", "headers": {…}, "body": "…"}.',
		maxBodyBytes: eventBodyBytes,
		...taking(
			z.strictObject({
				delivery_id: z.string().min(1).max(1000),
				headers: z.record(z.string(), z.string()),
				body: z.string(),
			}),
			async (port, {delivery_id: deliveryId, headers, body}, request) =>
				port.recoverDelivery({route: nameOf(request, 'name'), deliveryId, headers, body}),
		),
	},
	{
		method: 'POST',
		path: '/v1/model/{provider}',
		summary: 'Agrees to use an offered model provider and writes it to config.yaml.',
		handle: (port, request) => answered(port.useModel(nameOf(request, 'provider'))),
	},
	{
		method: 'POST',
		path: '/v1/reload',
		summary: 'Reads every configuration file again.',
		handle: port => answered(port.reload()),
	},
	{
		method: 'POST',
		path: '/v1/receiver/restart',
		summary: 'Tries to listen again after a refusal.',
		handle: port => answered(port.restartReceiver()),
	},
	{
		method: 'GET',
		path: '/v1/stop-consequences',
		summary: 'What stopping now would end.',
		handle: port => port.stopConsequences(),
	},
	{
		method: 'GET',
		path: '/v1/status',
		summary: 'The gateway in one object.',
		handle: port => port.status(),
	},
	{
		method: 'POST',
		path: '/v1/stop',
		summary: 'Starts the drain; the gateway ends when it is done.',
		handle: port => answered(port.stop()),
	},
];
