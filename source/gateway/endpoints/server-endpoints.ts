import {z} from 'zod';
import type {GatewayPort} from '../port.ts';
import {type ControlEndpoint, nameOf, taking} from './endpoint.ts';

const profile = z.string().exactOptional();

/** An operation on the server that the path names. */
const onServer = (
	word: string,
	summary: string,
	act: (port: GatewayPort, name: string, options: {readonly profile?: string}) => Promise<unknown>,
): ControlEndpoint => ({
	method: 'POST',
	path: `/v1/servers/{name}/${word}`,
	summary: `${summary} Body: {"profile": "whose connection"} or nothing.`,
	...taking(z.strictObject({profile}), async (port, options, request) =>
		act(port, nameOf(request, 'name'), options),
	),
});

/** Tool servers and their tools. */
export const serverEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/servers',
		summary: 'Every tool server with its tools, by profile and name.',
		handle: port => port.listServers(),
	},
	onServer(
		'connect',
		'Connects, also what is parked or lazy; answers when that has succeeded or failed.',
		(port, name, options) => port.connectServer(name, options),
	),
	onServer(
		'disconnect',
		'Ends the connection; its tools stay, the next call connects.',
		(port, name, options) => port.disconnectServer(name, options),
	),
	onServer(
		'test',
		'Connects beside whatever is connected, lists the tools, and leaves.',
		(port, name, options) => port.testServer(name, options),
	),
	{
		method: 'GET',
		path: '/v1/servers-reload-plan',
		summary: 'What reading the configuration again would do to the tool servers.',
		handle: port => port.planServerReload(),
	},
	{
		method: 'POST',
		path: '/v1/tools/{name}/try',
		summary:
			'Calls a tool as a run would: what needs an approval waits for one. Body: {"arguments": {…}, "by": "who tries", "profile": "whose connection"}.',
		...taking(
			z.strictObject({
				arguments: z.record(z.string(), z.json()).exactOptional(),
				by: z.string().min(1).max(200),
				profile,
			}),
			async (port, {arguments: args = {}, ...options}, request) =>
				port.tryTool(nameOf(request, 'name'), args, options),
		),
	},
];
