import {z} from 'zod';
import {controlEndpoints} from './control-endpoints.ts';
import type {ControlEndpoint} from './endpoints/endpoint.ts';

type Operation = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1 of the control API, as a JSON-able value. */
export function controlOpenApi(version: string): Operation {
	const paths: Record<string, Record<string, Operation>> = {};
	for (const endpoint of controlEndpoints) {
		const {method, path} = endpoint;
		paths[path] = {...paths[path], [method.toLowerCase()]: operationOf(endpoint)};
	}

	const stream = {
		description: 'Server-sent events: one "state", then "events" with lists of events',
	};
	paths['/v1/events'] = {
		get: {summary: 'The state, then every event.', responses: {'200': stream}},
	};
	return {
		openapi: '3.1.0',
		info: {title: 'svc control API (Unix socket run/gateway.sock)', version},
		paths,
	};
}

const operationOf = ({path, summary, query = {}, body}: ControlEndpoint): Operation => ({
	summary,
	parameters: [
		...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			name,
			in: 'path',
			required: true,
			schema: {type: 'string'},
		})),
		...Object.entries(query).map(([name, description]) => ({
			name,
			in: 'query',
			description,
			schema: {type: 'string'},
		})),
	],
	...(body && {
		requestBody: {
			content: {'application/json': {schema: z.toJSONSchema(body, {io: 'input'})}},
		},
	}),
	responses: {
		'200': {description: 'Done', content: {'application/json': {schema: {}}}},
		default: {
			description: 'Refused or failed: {"error": "…", "code": "…"}',
			content: {'application/json': {schema: {type: 'object'}}},
		},
	},
});
