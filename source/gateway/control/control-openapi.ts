import {z} from 'zod';
import {apiKeySchema} from '../../core/schemas/api-key.ts';
import {approvalRuleSchema, approvalSchema} from '../../core/schemas/approval.ts';
import {
	modelViewSchema,
	platformViewSchema,
	diagnosticSchema,
	routeViewSchema,
} from '../../core/schemas/config-view.ts';
import {deliverySchema} from '../../core/schemas/delivery.ts';
import {groupSchema} from '../../core/schemas/group.ts';
import {waitingInstallSchema} from '../../core/schemas/install.ts';
import {jobViewSchema} from '../../core/schemas/job.ts';
import {facts, text, integer, maybeText, number, yesOrNo} from '../../core/schemas/parts.ts';
import {runSchema, transcriptEntrySchema} from '../../core/schemas/run.ts';
import {serverViewSchema} from '../../core/schemas/tool-server.ts';
import {contract} from '../contract/contract.ts';
import type {Operation} from '../contract/operation.ts';
import type {Parameter} from '../contract/parameters.ts';

type Json = Readonly<Record<string, unknown>>;

/** The answer when something was refused or failed. `code` is stable. */
const refusal = facts({error: text, code: text}).register(z.globalRegistry, {id: 'Refusal'});

const pathText: Parameter = {schema: text, read: ([given]) => given};

/** OpenAPI 3.1 of the control API, as a JSON-able value. */
export function controlOpenApi(version: string): Json {
	const shared: Record<string, unknown> = {};
	/** Converts a schema to JSON Schema; named schemas go to the shared ones. */
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
		// Only the owner of the home may open the socket, and may do everything.
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

/** The schema with references to where the document keeps shared schemas. */
const inDocument = (schema: Json): Json & {readonly $defs?: Json} =>
	JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

/** The first message of the event stream, for the document. Readers of the stream check only its outline, to save time. */
const stateSchema = facts({
	gateway: facts({
		pid: integer,
		version: text,
		home: text,
		profile: text,
		startedAt: number,
		stopping: yesOrNo,
		reachable: yesOrNo,
	}),
	webhook: facts({state: z.enum(['starting', 'listening', 'refused', 'disabled', 'closed'])}),
	api: facts({
		state: z.enum(['starting', 'listening', 'refused', 'disabled', 'closed']),
	}).exactOptional(),
	/** Keys of the chat API. */
	keys: z.array(apiKeySchema).exactOptional(),
	routes: z.array(routeViewSchema),
	deliveries: z.array(facts({key: text, delivery: deliverySchema, count: integer})),
	groups: z.array(groupSchema),
	jobs: z.array(jobViewSchema),
	approvals: z.array(approvalSchema),
	settledApprovals: z.array(approvalSchema),
	approvalRules: z.array(approvalRuleSchema),
	installs: z.array(waitingInstallSchema).exactOptional(),
	servers: z.array(serverViewSchema),
	runs: z.array(runSchema),
	progress: z.record(text, z.array(transcriptEntrySchema)),
	/** Text that models are streaming, by run. */
	said: z.record(text, facts({at: number, from: integer, text})).exactOptional(),
	logs: z.array(facts({at: number, level: text, message: text})),
	model: modelViewSchema.exactOptional(),
	modelProblem: maybeText,
	modelSilence: facts({since: number, reason: text}).exactOptional(),
	modelOffer: modelViewSchema.exactOptional(),
	platforms: z.array(platformViewSchema),
	problems: z.array(diagnosticSchema),
}).register(z.globalRegistry, {id: 'State'});

/** Each further message. An event's other members depend on its type. */
const eventsSchema = z
	.array(facts({type: text, at: number}).register(z.globalRegistry, {id: 'Event'}))
	.register(z.globalRegistry, {id: 'Events'});
