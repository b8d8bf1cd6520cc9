import {McpServer, Server} from '@modelcontextprotocol/server';
import {expect, test} from 'vitest';
import {z} from 'zod';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {serverConfig} from '../catalogue/samples.ts';
import {createMemoryTransports, type Serve} from '../servers/memory-transports.ts';
import {openManager} from './open-manager.ts';

async function setUp(serve: Serve, options: Partial<Parameters<typeof openManager>[0]> = {}) {
	const memory = createMemoryTransports(serve);
	const clock = createFakeClock(1_000_000);
	return {
		...(await openManager({transports: memory.transports, clock, ...options})),
		memory,
		clock,
	};
}

const sampling = (maxRpm: number): Partial<ToolServerConfig> => ({
	sampling: {...serverConfig().sampling, maxRpm},
});

/** A server whose tool `ask` asks our model. */
const asking: Serve = async transport => {
	const server = new McpServer({name: 'sample', version: '1'});
	server.registerTool('ask', {inputSchema: z.object({})}, async () => {
		const said = await server.server.createMessage({
			messages: [{role: 'user', content: {type: 'text', text: 'Hello?'}}],
			maxTokens: 10,
		});
		return {content: [{type: 'text', text: JSON.stringify(said.content)}]};
	});
	await server.connect(transport);
};

/** @see manual/tool-servers.md#bounds: "`max_rpm` 10" */
test('"max_rpm" counts for the server, not for each of its connections', async () => {
	let asked = 0;
	await using world = await setUp(asking, {
		async sample() {
			asked += 1;
			return {text: 'Yes', model: 'm'};
		},
	});
	await world.use(serverConfig(sampling(1)));
	expect((await world.call('crm', 'ask')).text).toContain('Yes');
	await world.manager.disconnect('crm');
	expect((await world.call('crm', 'ask')).text).toContain(
		'more than 1 sampling requests in a minute',
	);
	await world.use(serverConfig({...sampling(1), timeoutMs: 60_000, trust: 'untrusted'}));
	expect((await world.call('crm', 'ask')).text).toContain(
		'more than 1 sampling requests in a minute',
	);
	expect(asked).toBe(1);
	world.clock.advance(60_000);
	expect((await world.call('crm', 'ask')).text).toContain('Yes');
	expect(world.memory.sent.length).toBeGreaterThan(2);
});

/** A server that lists `count` tools. */
const listing =
	(count: number): Serve =>
	async transport => {
		const server = new Server({name: 'large', version: '1'}, {capabilities: {tools: {}}});
		server.setRequestHandler('tools/list', () => ({
			tools: Array.from({length: count}, (_, index) => ({
				name: `t${10_000 + index}`,
				inputSchema: {type: 'object' as const},
			})),
		}));
		await server.connect(transport);
	};

/** @see manual/tool-servers.md#which-tools-a-server-offers, manual/receiver.md */
test('"when include is set, only those server-native tools are registered", however late in the list', async () => {
	await using world = await setUp(listing(502));
	await world.use(serverConfig({tools: {include: ['t10501']}}));

	expect(world.names('crm')).toEqual(['mcp__crm__t10501']);
	expect(world.view('crm')).toMatchObject({offered: 502, warnings: []});
});

test('of a longer list than anybody can use 5,000 tools are looked at, and that is said', async () => {
	await using world = await setUp(listing(5001));
	await world.use(serverConfig({tools: {include: ['t10501', 't15000']}}));

	expect(world.names('crm')).toEqual(['mcp__crm__t10501']);
	expect(world.view('crm').offered).toBe(5000);
	expect(world.view('crm').warnings).toContain('offers 5001 tools, more than 5000; not used: 1');
});
