import type {StoredDelivery} from '../core/delivery.ts';
import {SvcError} from '../core/errors.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import type {RunState} from '../core/run.ts';
import type {GatewayPort} from './port.ts';

export type ControlRequest = {
	/** Values of the `{name}` parts of the path, decoded. */
	readonly params: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	/** The JSON body; `null` without one. */
	readonly body: JsonValue;
};

/** One operation of the control API. The server and the OpenAPI document are made from this table; `control-calls.ts` is its client. */
export type ControlEndpoint = {
	readonly method: 'GET' | 'POST';
	/** With `{name}` parts. */
	readonly path: string;
	readonly summary: string;
	/** The answer as a JSON-able value; `undefined` is 404. Rejects with `SvcError`. */
	handle(port: GatewayPort, request: ControlRequest): Promise<unknown>;
};

/** A stored delivery as JSON: the body in base64. */
export type WireDelivery = Omit<StoredDelivery, 'body'> & {readonly body_base64?: string};

/** For the wire. */
export function toWire({body, ...delivery}: StoredDelivery): WireDelivery {
	return body ? {...delivery, body_base64: Buffer.from(body).toString('base64')} : delivery;
}

/** From the wire. */
export function fromWire({body_base64: encoded, ...delivery}: WireDelivery): StoredDelivery {
	return encoded === undefined
		? delivery
		: {...delivery, body: new Uint8Array(Buffer.from(encoded, 'base64'))};
}

export const controlEndpoints: readonly ControlEndpoint[] = [
	{
		method: 'GET',
		path: '/v1/deliveries',
		summary: 'Lists deliveries, newest first. Query: route, before (an id), limit (1 to 1000).',
		handle: (port, {query}) =>
			port.listDeliveries({
				...textOf(query, 'route'),
				...textOf(query, 'before'),
				limit: limitOf(query),
			}),
	},
	{
		method: 'GET',
		path: '/v1/deliveries/{id}',
		summary: 'One delivery with its headers and body (base64).',
		async handle(port, {params}) {
			const stored = await port.getDelivery(params['id'] ?? '');
			return stored && toWire(stored);
		},
	},
	{
		method: 'GET',
		path: '/v1/deliveries/{id}/replay-plan',
		summary: 'What a replay of the delivery would do.',
		handle: (port, {params}) => port.planReplay(params['id'] ?? ''),
	},
	{
		method: 'POST',
		path: '/v1/deliveries/{id}/replay',
		summary:
			'Sends the delivery through the pipeline again. Body: {"body": "replacement"} or nothing.',
		handle: (port, {params, body}) => port.replay(params['id'] ?? '', fieldsOf(body, ['body'])),
	},
	{
		method: 'GET',
		path: '/v1/runs',
		summary:
			'Lists runs, newest first. Query: state (repeated), route, before (a number), limit (1 to 1000).',
		handle(port, {query}) {
			const before = Number(query.get('before') ?? Number.NaN);
			// A state that does not exist matches nothing.
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion
			const states = query.getAll('state') as RunState[];
			return port.listRuns({
				...textOf(query, 'route'),
				...(states.length > 0 && {states}),
				...(Number.isSafeInteger(before) && {before}),
				limit: limitOf(query),
			});
		},
	},
	{
		method: 'GET',
		path: '/v1/runs/{id}',
		summary: 'One run with its plan, transcript and answer.',
		handle: (port, {params}) => port.getRun(runIdOf(params)),
	},
	{
		method: 'POST',
		path: '/v1/runs/{id}/cancel',
		summary: 'Ends a run that has not ended; answers whether it did.',
		handle: (port, {params}) => port.cancelRun(runIdOf(params)),
	},
	{
		method: 'POST',
		path: '/v1/runs/{id}/retry',
		summary: 'Puts an ended run back in the queue; answers whether it did.',
		handle: (port, {params}) => port.retryRun(runIdOf(params)),
	},
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
		handle: (port, {params, body}) =>
			port.sendTestEvent(params['name'] ?? '', fieldsOf(body, ['payload', 'event'])),
	},
	{
		method: 'GET',
		path: '/v1/routes/{name}/curl',
		summary: 'A curl line that sends a signed test event.',
		handle: (port, {params}) => port.curlLine(params['name'] ?? ''),
	},
	{
		method: 'POST',
		path: '/v1/model/{provider}',
		summary: 'Agrees to use an offered model provider and writes it to config.yaml.',
		handle: (port, {params}) => answered(port.useModel(params['provider'] ?? '')),
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

/** OpenAPI 3.1 of the control API. */
export function controlOpenApi(version: string): JsonValue {
	const paths: Record<string, Record<string, JsonValue>> = {};
	for (const {method, path, summary} of controlEndpoints) {
		const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
		const parameters = names.map(name => ({
			name,
			in: 'path',
			required: true,
			schema: {type: 'string'},
		}));
		const responses = {
			'200': {description: 'Done', content: {'application/json': {schema: {}}}},
			default: {
				description: 'Refused or failed: {"error": "…", "code": "…"}',
				content: {'application/json': {schema: {type: 'object'}}},
			},
		};
		paths[path] = {...paths[path], [method.toLowerCase()]: {summary, parameters, responses}};
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

async function answered(done: Promise<void>): Promise<{readonly done: true}> {
	await done;
	return {done: true};
}

const limitOf = (query: URLSearchParams): number => {
	const limit = Number(query.get('limit') ?? 100);
	return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), 1000) : 100;
};

const runIdOf = (params: ControlRequest['params']): number => {
	const id = Number(params['id']);
	if (!Number.isSafeInteger(id) || id < 1) {
		throw new SvcError(
			'bad_request',
			`Cannot read the run number "${params['id']}": use a whole number`,
		);
	}

	return id;
};

function textOf<Key extends string>(
	query: URLSearchParams,
	key: Key,
): Partial<Record<Key, string>> {
	const value = query.get(key);
	// The object has exactly the one key or none.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	return (value === null ? {} : {[key]: value}) as Partial<Record<Key, string>>;
}

/** The text fields of a JSON body that are named in `keys`; others are refused. */
function fieldsOf(body: JsonValue, keys: readonly string[]): Record<string, string> {
	if (body === null) {
		return {};
	}

	const fields: Record<string, string> = {};
	for (const [key, value] of Object.entries(isJsonObject(body) ? body : {body})) {
		if (!isJsonObject(body) || !keys.includes(key) || typeof value !== 'string') {
			throw new SvcError(
				'bad_request',
				`Cannot take the request body: use an object with text under ${keys.join(', ')}`,
			);
		}

		fields[key] = value;
	}

	return fields;
}
