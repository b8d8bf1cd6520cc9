import {expect, test} from 'vitest';
import {toolsetsWithout} from '../../../source/config/toolset-settings.ts';
import {filterLines} from '../../../source/gateway/receiver/route-facts.ts';
import {explainRoute} from '../../../source/gateway/receiver/route-facts.ts';
import {startTestGateway} from '../../helpers/gateway.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {makeRoute} from '../../webhook/start-receiver.ts';

const settings = {...toolsetsWithout('not in this test'), web: {hosts: []}};

const servers = [
	makeServer({
		name: 'crm',
		tools: [
			makeServerTool({name: 'mcp__crm__find', asks: false}),
			makeServerTool({name: 'mcp__crm__delete', asks: true}),
		],
	}),
	makeServer({name: 'off', status: 'skipped', tools: [makeServerTool({name: 'mcp__off__x'})]}),
	makeServer({
		name: 'elsewhere',
		profile: 'ops',
		tools: [makeServerTool({name: 'mcp__elsewhere__x'})],
	}),
];

test('a route names the tools that it hands out, which of them ask, and servers that are not known yet', () => {
	const unconnected = makeServer({name: 'new', status: 'connecting', tools: []});
	const facts = (toolsets?: readonly string[]) =>
		explainRoute(makeRoute(), {
			entry: {},
			toolsets,
			servers: [...servers, unconnected],
			settings,
			maxSchemaTokens: 20_000,
		});

	expect(facts()).toMatchObject({
		tools: [
			{name: 'mcp__crm__find', server: 'crm', asks: false},
			{name: 'mcp__crm__delete', server: 'crm', asks: true},
		],
		unknownServers: ['new'],
		notes: [],
	});
	expect(facts([])).toMatchObject({tools: [], unknownServers: []});
	expect(facts(['mcp-elsewhere']).notes).toEqual([
		'Toolset "mcp-elsewhere" was dropped: no tool server "elsewhere" gives tools',
	]);
	expect(
		explainRoute(makeRoute({deliverOnly: true}), {
			entry: {},
			toolsets: undefined,
			servers,
			settings,
			maxSchemaTokens: 20_000,
		}).tools,
	).toEqual([]);
});

test('filters are lines, those of a group below it', () => {
	expect(
		filterLines([
			{field: 'action', in: ['opened', 'edited']},
			{any: [{field: 'draft', missing: true}, {not: {field: 'draft', equals: true}}]},
			{field: 'text', regex: '\u001B[31m'},
		]),
	).toEqual([
		'action in ["opened","edited"]',
		'any of',
		'  draft is missing',
		'  not',
		'    draft equals true',
		String.raw`text regex "\u001b[31m"`,
	]);
	expect(filterLines(Array.from({length: 50}, () => ({field: 'a', exists: true})))).toHaveLength(
		41,
	);
});

test('of a secret only its kind and its length are told, of former ones until when they pass', async () => {
	await using gateway = await startTestGateway({
		subscriptions: {
			own: {secret: ['first-secret-of-all', '${HOOK_SECRET}'], prompt: 'Look at {number}'},
			mail: {deliver: 'email', deliver_extra: {chat_id: 'a@example.org'}, toolsets: ['mcp-crm']},
		},
		environment: {HOOK_SECRET: 'from-the-environment'},
	});
	const {port} = gateway;
	await port.rotateRoute('mail', {overlap_ms: 60_000});

	const [own, mail] = await Promise.all([port.describeRoute('own'), port.describeRoute('mail')]);

	expect(own).toMatchObject({
		secret: 'its own: 19 bytes, or from ${HOOK_SECRET}',
		prompt: 'Look at {number}',
		promptLength: 16,
		rateLimit: 30,
		formerSecretsUntil: [],
	});
	expect(mail?.formerSecretsUntil).toHaveLength(1);
	expect(mail?.secret).toBe('its own: 43 bytes');
	expect((await port.listRoutes()).find(({name}) => name === 'mail')?.troubles).toEqual([
		'delivers to "email", which is not enabled: see platforms.email',
		'names a tool server that is not configured: "crm"',
	]);
});
