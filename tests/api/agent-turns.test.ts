import {expect, test} from 'vitest';
import type {JsonObject} from '../../source/core/json.ts';
import {startApi} from '../helpers/api.ts';
import {eventsOf} from '../helpers/chat-upstream.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import type {TestGatewayOptions} from '../helpers/gateway.ts';
import {startScriptedModel, type ScriptedAnswer} from '../helpers/scripted-model.ts';
import {jsonServer, startHttp} from '../mcp/servers/http-server.ts';

/** An API whose agents have a model that says that. */
async function startAgents(
	answers: readonly ScriptedAnswer[],
	{
		models = {agent: {agent: true}},
		config = {},
		otherwise = {hang: true},
		...options
	}: Pick<TestGatewayOptions, 'clock'> & {
		readonly models?: JsonObject;
		readonly config?: JsonObject;
		readonly otherwise?: ScriptedAnswer;
	} = {},
) {
	await using stack = new AsyncDisposableStack();
	const model = stack.use(await startScriptedModel(answers, {otherwise}));
	const api = stack.use(
		await startApi(
			{models},
			{
				...options,
				config: {
					...config,
					model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
				},
			},
		),
	);
	const opened = stack.move();
	return {model, api, [Symbol.asyncDispose]: async () => opened.disposeAsync()};
}

/** A server with one tool. */
const toolNamed = async (name: string) =>
	startHttp(jsonServer({}, [{name, inputSchema: {type: 'object'}}]));

const ask = {model: 'agent', messages: [{role: 'user', content: 'Do it'}]};

/** Words are passed on when they are whole: what is half there may become a secret. */
const words = ['One two ', 'three '];

const lastOf = (text: string): unknown => JSON.parse(eventsOf(text).at(-1) ?? '');

test('sixteen turns are under way at a time; the next is told when to come again, and has a place as soon as one leaves', async () => {
	await using agents = await startAgents([]);
	const {api, model} = agents;
	const leaving = new AbortController();
	const turns = Array.from({length: 16}, async (_, index) =>
		api.chat(ask, index === 0 ? {signal: leaving.signal} : {}).catch(() => 'left'),
	);
	await model.request(15);
	const refused = await api.chat({...ask, stream: true});
	expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
	expect(await refused.json()).toMatchObject({error: {code: 'busy'}});
	// The person at the terminal has places of their own.
	const own = await api.gateway.port.sendChat({text: 'Who is so busy?'});
	await api.gateway.port.cancelRun(own.run);
	await api.gateway.until(({runs}) => runs.some(({state}) => state === 'cancelled'));

	leaving.abort();
	expect(await turns[0]).toBe('left');
	await api.gateway.until(({runs}) => runs.filter(({state}) => state === 'cancelled').length === 2);
	model.push({text: 'Done'});
	expect(await (await api.chat(ask)).json()).toMatchObject({
		choices: [{message: {content: 'Done'}}],
	});
	await model[Symbol.asyncDispose]();
	await Promise.all(turns);
});

test('a turn has "runs.timeout_seconds": 504, or an error in the stream that has begun', async () => {
	const clock = createFakeClock(1_700_000_000_000);
	await using agents = await startAgents([{deltas: words, ending: 'hang'}], {
		clock,
		config: {runs: {timeout_seconds: 30}},
	});
	const {api, model} = agents;
	const streamed = await api.chat({...ask, stream: true});
	const whole = api.chat(ask);
	await model.request(1);
	clock.advance(30_000);
	const answer = await whole;
	expect([answer.status, await answer.json()]).toMatchObject([
		504,
		{error: {code: 'run_timeout', message: expect.stringContaining('30 s')}},
	]);
	const text = await streamed.text();
	expect(lastOf(text)).toMatchObject({error: {code: 'run_timeout'}});
	expect(text).not.toContain('[DONE]');
	const {runs} = await api.gateway.until(({runs: now}) =>
		now.every(({state}) => state === 'failed'),
	);
	expect(runs).toHaveLength(2);
});

test('an agent has the tools of its toolsets, the first of its skills that is found, and may activate the others', async () => {
	await using one = await toolNamed('one');
	await using two = await toolNamed('two');
	await using agents = await startAgents(
		[
			{text: 'Done'},
			{toolCalls: [{id: 'call_a', name: 'activate_skill', arguments: {name: 'second'}}]},
			{text: 'Done'},
		],
		{
			models: {
				agent: {agent: true},
				reviewer: {agent: true, toolsets: ['mcp-two'], skills: ['none', 'review', 'second']},
			},
			config: {mcp_servers: {one: {url: one.url}, two: {url: two.url}}},
		},
	);
	const {api, model} = agents;
	for (const name of ['review', 'second']) {
		await api.gateway.home.write(
			`skills/${name}/SKILL.md`,
			`---\nname: ${name}\ndescription: Reviews\n---\nDo as ${name} does\n`,
		);
	}

	for (const name of ['agent', 'reviewer']) {
		expect((await api.chat({...ask, model: name})).status).toBe(200);
	}

	const [usual, own, told] = model.requests.map(({body}) => ({
		tools: body.tools.map((tool: {function: {name: string}}) => tool.function.name),
		system: body.messages[0].content as string,
		last: body.messages.at(-1)?.content as string,
	}));
	expect(usual?.tools).toEqual(['mcp__one__one', 'mcp__two__two']);
	expect(usual?.system).not.toContain('Do as');
	expect(own?.tools).toEqual(['activate_skill', 'mcp__two__two']);
	expect(own?.system).toContain('Do as review does');
	expect(own?.system).toContain('- second: Reviews');
	expect(own?.system).not.toContain('- review');
	expect(own?.system).not.toContain('Do as second');
	expect(told?.last).toContain('# Skill: second\n\nDo as second does');
});

test.for(['error', 'cut', 'stop'] as const)(
	'an answer that breaks in its middle (%s) is an error in the stream, and no end',
	async ending => {
		const {promise: isBegun, resolve: begun} = Promise.withResolvers<void>();
		await using agents = await startAgents([{deltas: words, between: async () => isBegun, ending}]);
		const answer = await agents.api.chat({...ask, stream: true});
		begun();
		const text = await answer.text();
		expect(answer.status).toBe(200);
		expect(text).toContain('"content":"One ');
		expect(lastOf(text)).toMatchObject({error: {type: 'api_error', code: 'upstream_error'}});
		expect(text).not.toContain('[DONE]');
		expect(text).not.toContain('"finish_reason":"');
	},
);

test('while a call waits for a yes, every five seconds there is a chunk like any other', async () => {
	const clock = createFakeClock(1_700_000_000_000);
	await using server = await toolNamed('press');
	await using agents = await startAgents(
		[{toolCalls: [{name: 'mcp__lift__press', arguments: {}}]}, {text: 'Then not'}],
		{clock, config: {mcp_servers: {lift: {url: server.url, trust: 'untrusted'}}}},
	);
	const {api} = agents;
	const asking = api.chat({...ask, stream: true});
	const {
		approvals: [waiting],
	} = await api.gateway.until(({approvals: [first]}) => first !== undefined);
	const answer = await asking;
	clock.advance(5000);
	clock.advance(5000);
	await api.gateway.port.settleApproval(waiting?.id ?? 0, {answer: {choice: 'deny'}, by: 'cli'});
	const events = eventsOf(await answer.text());
	expect(events.at(-1)).toBe('[DONE]');
	const told = events.slice(0, -1).map(event => {
		const {choices, svc} = JSON.parse(event) as {
			choices: ReadonlyArray<{delta: JsonObject; finish_reason: string | null}>;
			svc?: JsonObject;
		};
		return svc?.['event'] ?? choices[0]?.finish_reason ?? choices[0]?.delta;
	});
	expect(told).toEqual([
		{role: 'assistant', content: ''},
		'tool_started',
		'approval_pending',
		{},
		{},
		'approval_settled',
		'tool_ended',
		{content: 'Then '},
		{content: 'not'},
		'stop',
	]);
});
