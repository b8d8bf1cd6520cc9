import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {jsonServer, startHttp} from '../mcp/servers/http-server.ts';

const toolsNamed = (count: number) =>
	Array.from({length: count}, (_, index) => ({
		name: `tool_${String(index).padStart(3, '0')}`,
		description: index === 0 ? 'word '.repeat(500) : `Turns wheel number ${index} of the mill`,
		inputSchema: {type: 'object', properties: {by: {type: 'number'}}},
	}));

type Sent = ReadonlyArray<{
	readonly function: {readonly name: string; readonly description: string};
}>;

const sentIn = (request: {readonly body: {readonly tools: Sent}} | undefined) =>
	request?.body.tools.map(tool => tool.function.name);

test('of 300 tools a model is sent those that it searches for or calls by name; an approval asks as ever', async () => {
	await using big = await startHttp(
		jsonServer(
			{
				tool_017(response, id) {
					const result = {content: [{type: 'text', text: 'turned'}]};
					response
						.writeHead(200, {'content-type': 'application/json'})
						.end(JSON.stringify({jsonrpc: '2.0', id, result}));
				},
			},
			toolsNamed(260),
		),
	);
	await using small = await startHttp(jsonServer({}, toolsNamed(40)));
	await using model = await startScriptedModel([
		{toolCalls: [{name: 'tool_search', arguments: {query: 'turn wheel 17', limit: 2}}]},
		{toolCalls: [{name: 'mcp__z__tool_017', arguments: {by: 90}}]},
		{toolCalls: [{name: 'mcp__a__tool_009', arguments: {}}]},
		{text: 'Done'},
	]);
	await using ownHome = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			mcp_servers: {z: {url: big.url}, a: {url: small.url, trust: 'untrusted'}},
		},
		subscriptions: {all: {prompt: 'hello'}, few: {toolsets: ['mcp-a']}},
	});
	await using gateway = await startTestGateway({home: ownHome});

	await gateway.send('all', {});
	const {approvals} = await gateway.until(now => now.approvals.length > 0);
	expect(approvals).toMatchObject([{tool: {name: 'mcp__a__tool_009'}}]);
	await gateway.port.settleApproval(approvals[0]?.id ?? 0, {answer: {choice: 'deny'}, by: 'cli'});
	const {state, transcript} = await gateway.ended(1);

	expect(state).toBe('done');
	const [first, second, third, last] = model.requests.map(sentIn);
	expect(first).toEqual(['tool_search']);
	expect(JSON.stringify(model.requests[0]?.body.tools).length / 4).toBeLessThan(2000);
	expect(second).toContain('mcp__z__tool_017');
	expect(second).toHaveLength(3);
	expect(third).toEqual(second);
	expect(last).toEqual([...(second ?? []), 'mcp__a__tool_009']);
	expect(transcript.map(({text}) => text)).toContain(
		'300 tools, all of them deferred (a request takes 128): the model finds them with tool_search',
	);
	expect(transcript.filter(({kind}) => kind === 'tool-result').map(({data}) => data)).toMatchObject(
		[
			{tool: 'tool_search', ok: true},
			{tool: 'mcp__z__tool_017', server: 'z', ok: true},
			{tool: 'mcp__a__tool_009', server: 'a', denied: true},
		],
	);
	// What is told of servers is told a moment later.
	const {servers} = await gateway.until(
		now => now.servers.filter(({status}) => status === 'connected').length === 2,
	);
	expect(servers.flatMap(({warnings}) => warnings)).toEqual(
		Array.from({length: 2}, () =>
			expect.stringContaining('"tool_000": description above 1024 characters, cut for models'),
		),
	);

	// Beforehand, too: by what the gateway knows, and by the cache where none runs.
	const home = ownHome.path;
	const ask = async () =>
		Promise.all(
			[
				['config', 'check'],
				['mcp', 'list'],
				['webhook', 'subscribe', 'all'],
			].map(async args => {
				const {code, stderr} = await command(args, {home});
				return [code, /300 tools, all of them deferred/.test(stderr)];
			}),
		);
	expect(await ask()).toEqual([
		[0, true],
		[0, true],
		[0, true],
	]);
	await gateway[Symbol.asyncDispose]();
	expect(await ask()).toEqual([
		[0, true],
		[0, true],
		[0, true],
	]);
});
