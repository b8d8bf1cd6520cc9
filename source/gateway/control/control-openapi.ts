import {z} from 'zod';
import {facts, text} from '../../core/schemas/parts.ts';
import {contract} from '../contract/contract.ts';
import type {Operation} from '../contract/operation.ts';
import type {Parameter} from '../contract/parameters.ts';
import {eventsSchema, stateSchema} from '../contract/stream.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is answered instead when something was refused or failed. `code` is stable. */
const refusal = facts({error: text, code: text}).register(z.globalRegistry, {id: 'Refusal'});

const pathText: Parameter = {schema: text, read: ([given]) => given};

/** OpenAPI 3.1 of the control API, as a JSON-able value. */
export function controlOpenApi(version: string): Json {
	const shared: Record<string, unknown> = {};
	/** JSON Schema of what travels; what has a name of its own is put with the shared ones. */
	const schemaOf = (schema: z.ZodType): Json => {
		const {$schema: _, $defs = {}, ...own} = inDocument(z.toJSONSchema(schema, {io: 'input'}));
		Object.assign(shared, $defs);
		return own;
	};

	const contentOf = (schema: z.ZodType) => ({'application/json': {schema: schemaOf(schema)}});

	const paths: Record<string, Record<string, unknown>> = {};
	for (const [name, operation] of Object.entries<Operation>(contract)) {
		paths[operation.path] ??= {};
		Object.assign(paths[operation.path] ?? {}, {
			[operation.method.toLowerCase()]: {
				operationId: name,
				summary: operation.summary,
				parameters: parametersOf(operation, schemaOf),
				...(operation.body && {requestBody: {content: contentOf(operation.body)}}),
				responses: responsesOf(operation, contentOf),
			},
		});
	}

	paths['/v1/events'] = {get: eventStream([schemaOf(stateSchema), schemaOf(eventsSchema)])};
	return {
		openapi: '3.1.0',
		info: {
			title: 'svc control API (Unix socket run/gateway.sock)',
			version,
			license: {name: 'MIT', identifier: 'MIT'},
		},
		servers: [{url: 'http://svc', description: 'Any host: the socket is what counts.'}],
		// Whoever may open the socket, the owner of the home, may do everything.
		security: [],
		paths,
		components: {schemas: shared},
	};
}

function parametersOf(
	{path, params = {}, query = {}}: Operation,
	schemaOf: (schema: z.ZodType) => Json,
): readonly Json[] {
	const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
		name,
		in: 'path',
		required: true,
		schema: schemaOf((params[name] ?? pathText).schema),
	}));
	return [
		...parts,
		...Object.entries(query).map(([key, {name = key, summary, schema}]) => ({
			name,
			in: 'query',
			description: summary,
			schema: schemaOf(schema),
		})),
	];
}

function responsesOf({result}: Operation, contentOf: (schema: z.ZodType) => Json): Json {
	const done = facts({done: z.literal(true)});
	return {
		'200': {description: 'Done.', content: contentOf(result ?? done)},
		...(result instanceof z.ZodOptional && {
			'404': {description: 'There is none: "not_found".', content: contentOf(refusal)},
		}),
		'409': {description: 'Refused, for the reason that "code" names.', content: contentOf(refusal)},
		'500': {description: 'Failed.', content: contentOf(refusal)},
	};
}

const eventStream = (schemas: readonly Json[]): Json => ({
	operationId: 'followEvents',
	summary: 'The state, then every event.',
	description:
		'Server-sent events: one with the name "state" whose data is the state, then those with the name "events" whose data is a list of what happened, in order.',
	responses: {
		'200': {
			description: 'The data of one message, by its name.',
			content: {'text/event-stream': {schema: {anyOf: schemas}}},
		},
	},
});

/** The same with its references as the document has them. */
const inDocument = (schema: Json): Json & {readonly $defs?: Json} =>
	JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
