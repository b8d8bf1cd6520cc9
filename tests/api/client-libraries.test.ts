// @module-tag slow
import {HumanMessage, ToolMessage} from '@langchain/core/messages';
import {ChatOpenAI} from '@langchain/openai';
import {
	Agent,
	run,
	setDefaultOpenAIClient,
	setOpenAIAPI,
	setTracingDisabled,
	tool as agentTool,
} from '@openai/agents';
import OpenAI, {APIError, AuthenticationError, NotFoundError, RateLimitError} from 'openai';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {beginStream, chunkOf, sendStream, type UpstreamRequest} from '../helpers/chat-upstream.ts';
import {answerWithCity, cityCall} from '../helpers/city-model.ts';
import {startRelay, type Relay} from '../helpers/relay.ts';
import {jsonServer, startHttp} from '../mcp/servers/http-server.ts';

const look = {
	name: cityCall.name,
	description: 'Looks',
	parameters: {type: 'object', properties: {at: {type: 'string'}}, required: ['at']},
};

let relay: Relay;
let called = 0;
let tools: Awaited<ReturnType<typeof startHttp>>;
let spent: string;
let limited: string;

beforeAll(async () => {
	setTracingDisabled(true);
	tools = await startHttp(
		jsonServer(
			{
				[look.name](response, id) {
					called += 1;
					const result = {content: [{type: 'text', text: 'It is Paris'}]};
					response
						.writeHead(200, {'content-type': 'application/json'})
						.end(JSON.stringify({jsonrpc: '2.0', id, result}));
				},
			},
			[{name: look.name, inputSchema: look.parameters}],
		),
	);
	relay = await startRelay(answer, {config: {mcp_servers: {city: {url: tools.url}}}});
	spent = await relay.api.makeKey({budget: {tokens: 1, per: 'day'}});
	limited = await relay.api.makeKey({rpm: 1});
});

afterAll(async () => {
	await relay[Symbol.asyncDispose]();
	await tools[Symbol.asyncDispose]();
});

function answer(request: UpstreamRequest): void {
	const said = JSON.stringify(request.body.messages);
	if (said.includes('break')) {
		sendStream(request, chunkOf({content: 'Pa'}));
	} else if (said.includes('never')) {
		beginStream(request, chunkOf({content: 'Pa'}));
	} else {
		answerWithCity(request);
	}
}

const say = (content: string) => [{role: 'user' as const, content}];

/** How often it asked, too. */
function client(apiKey = relay.api.key, maxRetries = 2) {
	let asked = 0;
	const openai = new OpenAI({
		baseURL: `${relay.api.url}/v1`,
		apiKey,
		maxRetries,
		async fetch(url, init) {
			asked += 1;
			return fetch(url, init);
		},
	});
	return {openai, asked: () => asked};
}

const failure = async (task: Promise<unknown>): Promise<unknown> =>
	task.then(
		() => undefined,
		(error: unknown) => error,
	);

test('openai gets texts, usage and calls of tools, of a relay and of an agent', async () => {
	const {openai} = client();
	const {completions} = openai.chat;
	const models = await Array.fromAsync(openai.models.list());
	expect(models.map(({id}) => id)).toContain('fast');
	expect((await openai.models.retrieve('fast')).object).toBe('model');

	const {data: whole, request_id: id} = await completions
		.create({model: 'fast', messages: say('Where?')})
		.withResponse();
	expect(whole.choices[0]?.message.content).toBe('Paris');
	expect(whole.usage?.total_tokens).toBe(18);
	expect(id).toMatch(/^req_/);

	for (const model of ['fast', 'agent']) {
		const stream = completions.stream({
			model,
			messages: say('Where?'),
			stream_options: {include_usage: true},
		});
		// It puts the chunks together, and refuses those that do not fit.
		expect(await stream.finalContent()).toBe('Paris');
		expect((await stream.totalUsage()).completion_tokens).toBeGreaterThan(0);
	}

	for (const stream of [true, false] as const) {
		const calls: unknown[] = [];
		const running = completions.runTools({
			model: 'fast',
			stream,
			messages: say('Where?'),
			tools: [
				{
					type: 'function',
					function: {
						...look,
						parse: JSON.parse,
						function(given: unknown) {
							calls.push(given);
							return 'It is Paris';
						},
					},
				},
			],
		} as Parameters<typeof completions.runTools>[0]);
		expect(await running.finalContent()).toBe('Paris');
		expect(calls).toEqual([{at: 'x'}]);
	}
});

test('openai gets the same as a response', async () => {
	const {responses} = client().openai;
	for (const model of ['fast', 'agent']) {
		const whole = await responses.create({model, input: 'Where?'});
		expect([whole.output_text, whole.status]).toEqual(['Paris', 'completed']);
		const streamed = await responses.stream({model, input: 'Where?'}).finalResponse();
		expect(streamed.output_text).toBe('Paris');
		expect(streamed.usage?.output_tokens).toBeGreaterThan(0);
	}

	const missing = await failure(responses.create({model: 'none', input: 'Where?'}));
	expect(missing).toBeInstanceOf(NotFoundError);
	const broken = await responses.stream({model: 'fast', input: 'break'}).finalResponse();
	expect(broken).toMatchObject({
		status: 'failed',
		error: {message: expect.stringContaining('ends in the middle')},
	});
});

test('openai reads errors as what they are, tries again where that helps, and leaves when it is told to', async () => {
	const request = {model: 'fast', messages: say('Where?')};
	const unknown = await failure(client('svc_live_x').openai.chat.completions.create(request));
	expect(unknown).toBeInstanceOf(AuthenticationError);
	expect(unknown).toMatchObject({code: 'invalid_api_key', requestID: expect.any(String)});
	const missing = client().openai.chat.completions.create({...request, model: 'none'});
	const lost = await failure(missing);
	expect(lost).toBeInstanceOf(NotFoundError);
	expect(lost).toMatchObject({code: 'model_not_found', param: 'model'});

	await client(limited).openai.chat.completions.create(request);
	const often = await failure(client(limited, 0).openai.chat.completions.create(request));
	expect(often).toBeInstanceOf(RateLimitError);
	expect(Number((often as RateLimitError).headers.get('retry-after'))).toBeGreaterThan(0);
	// It would try twice more, were it not told that this is of no use.
	const poor = client(spent);
	expect(await failure(poor.openai.chat.completions.create(request))).toMatchObject({
		status: 429,
		code: 'budget_exceeded',
	});
	expect(poor.asked()).toBe(1);

	const {openai} = client();
	const broken = openai.chat.completions.stream({...request, messages: say('break')});
	const breaking = await failure(broken.finalContent());
	expect(breaking).toBeInstanceOf(APIError);
	expect(breaking).toMatchObject({code: 'upstream_error'});

	const {upstream} = relay;
	const before = upstream.requests.length;
	const endless = await openai.chat.completions.create({
		...request,
		messages: say('never'),
		stream: true,
	});
	for await (const {choices} of endless) {
		if (choices[0]?.delta.content) {
			break;
		}
	}

	expect(await upstream.requests[before]?.closed).toBe(true);
});

test('@langchain/openai gets the same', async () => {
	const make = (model: string, apiKey = relay.api.key) =>
		new ChatOpenAI({
			model,
			apiKey,
			configuration: {baseURL: `${relay.api.url}/v1`},
			maxRetries: 1,
		});
	const whole = await make('fast').invoke('Where?');
	expect(whole).toMatchObject({text: 'Paris', usage_metadata: {total_tokens: 18}});
	for (const model of ['fast', 'agent']) {
		const chunks = await Array.fromAsync(await make(model).stream('Where?'));
		expect(chunks.map(({text}) => text).join('')).toBe('Paris');
		expect(chunks.some(({usage_metadata: usage}) => usage)).toBe(true);
	}

	const withTools = make('fast').bindTools([{type: 'function', function: look}]);
	const question = new HumanMessage('Where?');
	const asked = await withTools.invoke([question]);
	expect(asked.tool_calls).toMatchObject([{name: 'look', args: {at: 'x'}, id: 'a'}]);
	const result = new ToolMessage({content: 'It is Paris', tool_call_id: 'a'});
	const settled = await withTools.invoke([question, asked, result]);
	expect(settled.text).toBe('Paris');

	const {upstream} = relay;
	const before = upstream.requests.length;
	const failures = [
		make('fast', 'svc_live_x').invoke('Where?'),
		make('none').invoke('Where?'),
		make('fast', spent).invoke('Where?'),
		make('fast').invoke('fail'),
	];
	expect((await Promise.all(failures.map(failure))).map(error => statusOf(error))).toEqual([
		401, 404, 429, 400,
	]);
	// What it sent again would have come here, but for the last.
	expect(upstream.requests.length).toBe(before + 1);
	const broken = make('fast').stream('break');
	expect(await failure(broken.then(async stream => Array.fromAsync(stream)))).toMatchObject({
		message: expect.stringContaining('ends in the middle'),
	});
});

const statusOf = (error: unknown): unknown =>
	error instanceof Error && 'status' in error ? error.status : error;

test.for(['chat_completions', 'responses'] as const)(
	'@openai/agents (%s) works with tools of its own on a relay, and with an agent of the gateway',
	async form => {
		setOpenAIAPI(form);
		setDefaultOpenAIClient(client().openai);
		const calls: unknown[] = [];
		const before = called;
		const tool = agentTool({
			...look,
			parameters: {...look.parameters, additionalProperties: true} as never,
			strict: false,
			async execute(given) {
				calls.push(given);
				return 'It is Paris';
			},
		});
		const make = (model: string) =>
			new Agent({name: 'asker', model, tools: model === 'fast' ? [tool] : []});
		for (const model of ['fast', 'agent']) {
			expect((await run(make(model), 'Where?')).finalOutput).toBe('Paris');
			const streamed = await run(make(model), 'Where?', {stream: true});
			await streamed.completed;
			expect(streamed.finalOutput).toBe('Paris');
		}

		expect(calls).toEqual([{at: 'x'}, {at: 'x'}]);
		// The agent of the gateway has its own.
		expect(called).toBe(before + 2);
		expect(statusOf(await failure(run(make('none'), 'Where?')))).toBe(404);
	},
);
