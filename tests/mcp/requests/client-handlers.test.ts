import {
	Client,
	type ElicitRequestFormParams,
	InMemoryTransport,
} from '@modelcontextprotocol/client';
import {inputRequired, McpServer, type Server} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import {expect, test} from 'vitest';
import {z} from 'zod';
import type {SampleRequest} from '../../../source/core/bounds.ts';
import {createLogger} from '../../../source/core/log.ts';
import {createCallsUnderWay} from '../../../source/mcp/connection/calls-under-way.ts';
import type {Elicit, FormRequest, Sample} from '../../../source/mcp/contract.ts';
import {
	clientCapabilities,
	createClientHandlers,
	type HandlerDependencies,
} from '../../../source/mcp/requests/client-handlers.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {connected, tableServer, text} from '../calls/connected.ts';
import {serverConfig} from '../catalogue/samples.ts';

const requestedSchema: ElicitRequestFormParams['requestedSchema'] = {
	type: 'object',
	properties: {
		title: {type: 'string', title: 'Title', maxLength: 10},
		count: {type: 'integer', minimum: 1, default: 2},
	},
	required: ['title'],
};

/** A client that answers with `elicit` and `sample`, and a server that asks what `ask` asks in the middle of a call. */
async function asking(
	ask: (server: Server) => Promise<unknown>,
	more: Partial<HandlerDependencies> & {readonly runIds?: readonly number[]} = {},
) {
	const clock = createFakeClock();
	const calls = createCallsUnderWay(clock);
	const lines: string[] = [];
	const handlers = createClientHandlers({
		server: serverConfig(),
		profile: 'ops',
		clock,
		log: createLogger({clock, redact: value => value, write: ({message}) => lines.push(message)}),
		redact: value => value.replaceAll('hunter2hunter2', '[redacted]'),
		calls,
		elicit: async () => ({action: 'decline'}),
		...more,
	});
	const server: Server = tableServer({
		ask: async () => {
			try {
				return text(JSON.stringify(await ask(server)));
			} catch (error) {
				return text(`refused: ${(error as Error).message}`);
			}
		},
	});
	const world = await connected(server, {
		clock,
		calls,
		capabilities: handlers.capabilities,
		register: client => handlers.register(client),
	});
	return Object.assign(world, {lines});
}

const askForm = async (server: Server) =>
	server.elicitInput({message: 'Which one?\u001b[2J', requestedSchema});

/** Remembers what it was asked, and answers with `answer`. */
function person(answer: Awaited<ReturnType<Elicit>>) {
	const forms: FormRequest[] = [];
	const elicit: Elicit = async form => {
		forms.push(form);
		return answer;
	};
	return {forms, elicit};
}

test('a form-mode request goes through the approval surface with real fields, and the answer back', async () => {
	const {forms, elicit} = person({action: 'accept', content: {title: 'Fine', count: 3}});
	await using world = await asking(askForm, {elicit});

	expect(JSON.parse(await world.read('ask'))).toEqual({
		action: 'accept',
		content: {title: 'Fine', count: 3},
	});
	expect(forms).toEqual([
		{
			server: 'crm',
			host: 'crm-server',
			profile: 'ops',
			runId: 7,
			message: 'Which one?␛[2J',
			timeoutMs: 300_000,
			signal: expect.any(AbortSignal),
			fields: [
				{
					key: 'title',
					title: 'Title',
					description: '',
					kind: 'text',
					required: true,
					masked: false,
					most: 10,
				},
				{
					key: 'count',
					title: 'count',
					description: '',
					kind: 'integer',
					required: false,
					masked: false,
					least: 1,
					initial: 2,
				},
			],
		},
	]);
});

test.for([
	['a text that is too long', {title: 'much too long a text'}],
	['a number in a text', {title: 'a', count: '3'}],
	['nothing where something is required', {}],
	['a field that was not asked for', {title: 'a', extra: 'b'}],
] as const)('an answer with %s is not sent', async ([, content]) => {
	await using world = await asking(askForm, person({action: 'accept', content}));

	expect(JSON.parse(await world.read('ask'))).toEqual({action: 'cancel'});
	expect(world.lines).toEqual([expect.stringContaining('The answer to a form is not sent')]);
});

test('who declines, declines', async () => {
	await using world = await asking(askForm, person({action: 'decline'}));

	expect(JSON.parse(await world.read('ask'))).toEqual({action: 'decline'});
});

test('no answer → cancel', async () => {
	await using world = await asking(askForm, person({action: 'cancel'}));

	expect(JSON.parse(await world.read('ask'))).toEqual({action: 'cancel'});
});

test('a person who was given more time answers after the form’s own', async () => {
	const asked = Promise.withResolvers<FormRequest>();
	const answer = Promise.withResolvers<Awaited<ReturnType<Elicit>>>();
	await using world = await asking(askForm, {
		elicit: async form => {
			asked.resolve(form);
			return answer.promise;
		},
	});
	const call = world.read('ask');
	const {signal, timeoutMs} = await asked.promise;
	world.clock.advance(timeoutMs + 60_000);
	const wasAborted = signal.aborted;
	answer.resolve({action: 'accept', content: {title: 'Fine'}});

	expect(JSON.parse(await call)).toEqual({action: 'accept', content: {title: 'Fine'}});
	expect(wasAborted).toBe(false);
});

test('a surface that fails is no answer', async () => {
	await using world = await asking(askForm, {
		elicit: async () => {
			throw new Error('broken');
		},
	});

	expect(JSON.parse(await world.read('ask'))).toEqual({action: 'cancel'});
});

test('the tool’s timeout pauses meanwhile', async () => {
	const asked = Promise.withResolvers<void>();
	const answer = Promise.withResolvers<Awaited<ReturnType<Elicit>>>();
	await using world = await asking(askForm, {
		server: serverConfig({elicitation: {enabled: true, timeoutMs: 1_000_000}}),
		elicit: async () => {
			asked.resolve();
			return answer.promise;
		},
	});
	const call = world.read('ask');
	await asked.promise;
	world.clock.advance(900_000);
	answer.resolve({action: 'accept', content: {title: 'Late'}});

	expect(JSON.parse(await call)).toEqual({action: 'accept', content: {title: 'Late'}});
});

test('URL-mode requests are declined', async () => {
	const {forms, elicit} = person({action: 'accept', content: {}});
	await using world = await asking(
		async server =>
			server.elicitInput({
				mode: 'url',
				elicitationId: '1',
				url: 'https://evil.example/login',
				message: 'Log in',
			}),
		{elicit},
	);

	expect(JSON.parse(await world.read('ask'))).toEqual({action: 'decline'});
	expect(forms).toEqual([]);
	expect(world.lines).toEqual(['Declined to open a page: evil.example']);
});

test('a server that may not ask is not told that it could', async () => {
	const server = serverConfig({elicitation: {enabled: false, timeoutMs: 1}});
	const {forms, elicit} = person({action: 'accept', content: {title: 'a'}});
	await using world = await asking(askForm, {server, elicit});

	expect(clientCapabilities(server, {canSample: false})).toEqual({});
	expect(await world.read('ask')).toMatch(/^refused: /);
	expect(forms).toEqual([]);
});

test('no more than 5 forms of a connection wait at once', async () => {
	let asked = 0;
	const all = Promise.withResolvers<void>();
	const answer = Promise.withResolvers<Awaited<ReturnType<Elicit>>>();
	await using world = await asking(
		async server =>
			Promise.all(Array.from({length: 7}, async () => (await askForm(server)).action)),
		{
			elicit: async () => {
				asked += 1;
				if (asked === 5) {
					all.resolve();
				}

				return answer.promise;
			},
		},
	);
	const call = world.read('ask');
	await all.promise;
	answer.resolve({action: 'decline'});
	const actions: readonly string[] = JSON.parse(await call);

	expect(actions.toSorted()).toEqual([
		'cancel',
		'cancel',
		'decline',
		'decline',
		'decline',
		'decline',
		'decline',
	]);
});

test('a person is asked 20 times a minute at most, and the log is told once of what is refused', async () => {
	const {forms, elicit} = person({action: 'cancel'});
	await using world = await asking(
		async server => {
			for (let count = 0; count < 25; count += 1) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other
				await askForm(server);
			}

			return 'asked';
		},
		{elicit},
	);
	await world.read('ask');
	expect(forms).toHaveLength(20);
	expect(world.lines.filter(line => line.startsWith('A form is not asked for'))).toEqual([
		'A form is not asked for: more than 20 in a minute',
	]);

	world.clock.advance(60_000);
	await world.read('ask');
	expect(forms).toHaveLength(40);
	expect(world.lines.filter(line => line.startsWith('A form is not asked for'))).toHaveLength(2);
});

test('what a server of 2026-07-28 requires is asked for in the same way', async () => {
	const clock = createFakeClock();
	const {forms, elicit} = person({action: 'accept', content: {title: 'Fine'}});
	const calls = createCallsUnderWay(clock);
	const handlers = createClientHandlers({
		server: serverConfig(),
		profile: 'ops',
		clock,
		log: createLogger({clock, redact: value => value, write() {}}),
		redact: value => value,
		calls,
		elicit,
	});
	const [near, far] = InMemoryTransport.createLinkedPair();
	serveStdio(
		() => {
			const server = new McpServer({name: 'modern', version: '1'});
			server.registerTool('ask', {inputSchema: z.object({})}, async (_args, {mcpReq}) =>
				mcpReq.inputResponses
					? text(JSON.stringify(mcpReq.inputResponses))
					: inputRequired({
							inputRequests: {
								form: inputRequired.elicit({message: 'Which?', requestedSchema}),
							},
						}),
			);
			return server;
		},
		{legacy: 'reject', transport: far},
	);
	await using client = Object.assign(
		new Client(
			{name: 'svc', version: '1'},
			{capabilities: handlers.capabilities, versionNegotiation: {mode: {pin: '2026-07-28'}}},
		),
		{[Symbol.asyncDispose]: async () => near.close()},
	);
	handlers.register(client);
	await client.connect(near);
	const {content} = await client.callTool({name: 'ask', arguments: {}});

	expect(content).toEqual([
		{type: 'text', text: '{"form":{"action":"accept","content":{"title":"Fine"}}}'},
	]);
	expect(forms).toHaveLength(1);
});

const askModel = async (server: Server) =>
	server.createMessage({
		messages: [{role: 'user', content: {type: 'text', text: 'Sum up \u202ethis'}}],
		systemPrompt: 'Be short',
		maxTokens: 100_000,
		modelPreferences: {hints: [{name: 'dear-model'}, {name: 'small-model'}]},
	});

/** A model that answers at once, and what it was asked. */
function model(answer = 'A sum') {
	const requests: SampleRequest[] = [];
	const sample: Sample = async request => {
		requests.push(request);
		return {text: answer, model: 'm-1', stopReason: 'endTurn'};
	};
	return {requests, sample};
}

test('a server may ask our model as far as its policy allows', async () => {
	const {requests, sample} = model('the key is hunter2hunter2');
	const {sampling} = serverConfig();
	await using world = await asking(askModel, {
		server: serverConfig({sampling: {...sampling, model: 'own', allowedModels: ['small-model']}}),
		sample,
	});

	expect(JSON.parse(await world.read('ask'))).toEqual({
		role: 'assistant',
		content: {type: 'text', text: 'the key is [redacted]'},
		model: 'm-1',
		stopReason: 'endTurn',
	});
	expect(requests).toEqual([
		{
			server: 'crm',
			profile: 'ops',
			runId: 7,
			model: 'small-model',
			system: 'Be short',
			messages: [{role: 'user', text: String.raw`Sum up \u{202e}this`}],
			maxTokens: 4096,
			signal: expect.any(AbortSignal),
		},
	]);
});

test('the 11th request of a minute is refused, a minute later one is not', async () => {
	const {requests, sample} = model();
	await using world = await asking(askModel, {sample});
	for (let count = 0; count < 10; count += 1) {
		expect(await world.read('ask')).toContain('A sum');
	}

	expect(await world.read('ask')).toContain('more than 10 sampling requests in a minute');
	world.clock.advance(60_000);
	expect(await world.read('ask')).toContain('A sum');
	expect(requests).toHaveLength(11);
});

test('a model that does not answer in time is given up', async () => {
	const asked = Promise.withResolvers<SampleRequest>();
	await using world = await asking(askModel, {
		sample: async request => {
			asked.resolve(request);
			return new Promise(() => {});
		},
	});
	const call = world.read('ask');
	const {signal} = await asked.promise;
	world.clock.advance(30_000);

	expect(await call).toContain('Sampling failed: no answer within 30 s');
	expect(signal.aborted).toBe(true);
});

test('a model that fails is told of without its secrets', async () => {
	await using world = await asking(askModel, {
		sample: async () => {
			throw new Error('key hunter2hunter2 is not valid');
		},
	});

	expect(await world.read('ask')).toContain('Sampling failed: key [redacted] is not valid');
});

test('without a model, or a policy that allows it, no server is told that it could ask', () => {
	const {sampling} = serverConfig();
	const off = serverConfig({sampling: {...sampling, enabled: false}});

	expect(clientCapabilities(serverConfig(), {canSample: true})).toEqual({
		elicitation: {form: {}, url: {}},
		sampling: {},
	});
	expect(clientCapabilities(serverConfig(), {canSample: false})).not.toHaveProperty('sampling');
	expect(clientCapabilities(off, {canSample: true})).not.toHaveProperty('sampling');
});
