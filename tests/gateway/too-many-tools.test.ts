import {expect, test} from 'vitest';
import {command} from '../cli/command.ts';
import {gatewayHome, startTestGateway} from '../helpers/gateway.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {jsonServer, startHttp} from '../mcp/servers/http-server.ts';

const toolsNamed = (count: number) =>
	Array.from({length: count}, (_, index) => ({
		name: `tool_${String(index).padStart(3, '0')}`,
		description: 'word '.repeat(index === 0 ? 500 : 1),
		inputSchema: {type: 'object'},
	}));

test('a request holds 128 tools and 1,024 characters of a description; the run says which tools are left out', async () => {
	await using big = await startHttp(jsonServer({}, toolsNamed(100)));
	await using small = await startHttp(jsonServer({}, toolsNamed(40)));
	await using model = await startScriptedModel([{text: 'Done'}]);
	await using ownHome = await gatewayHome({
		config: {
			model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
			// By name the other one would be first.
			mcp_servers: {z: {url: big.url}, a: {url: small.url}},
		},
		subscriptions: {all: {prompt: 'hello'}, few: {toolsets: ['mcp-a']}},
	});
	await using gateway = await startTestGateway({home: ownHome});

	await gateway.send('all', {});
	const {state, transcript} = await gateway.ended(1);
	const sent: Array<{function: {name: string; description: string}}> =
		model.requests[0]?.body.tools;
	const names = sent.map(({function: {name}}) => name);

	expect(state).toBe('done');
	expect(sent).toHaveLength(128);
	expect(names.filter(name => name.startsWith('mcp__z__'))).toHaveLength(100);
	expect(Math.max(...sent.map(({function: {description}}) => description.length))).toBe(1024);
	expect(transcript.map(({text}) => text)).toContainEqual(
		expect.stringMatching(
			/^A model takes 128 tools in one request: mcp__a__tool_028, .* and 7 more are left out/,
		),
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
				return [
					code,
					/A model takes 128 tools in one request: .* and 7 more are left out/.test(stderr),
				];
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
