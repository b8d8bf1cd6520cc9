import {McpServer} from '@modelcontextprotocol/server';
import {expect, test} from 'vitest';
import {gatewayHome, startTestGateway, testConfig} from '../helpers/gateway.ts';
import {startModern} from '../mcp/servers/modern-server.ts';
import {command} from './command.ts';

const tool = 'wipe\u001B[2Jscreen';

/** Lists a tool that the SDK leaves out, and names in a warning of its own. */
function makeServer(): McpServer {
	const server = new McpServer({name: 'odd', version: '1'}, {capabilities: {tools: {}}});
	server.server.setRequestHandler('tools/list', () => ({
		tools: [
			{
				name: tool,
				inputSchema: {
					type: 'object',
					properties: {a: {type: 'string', 'x-mcp-header': 'no token'}},
				},
			},
		],
	}));
	return server;
}

/** What reaches the console of this process. */
function listen() {
	const said: unknown[][] = [];
	const {warn, debug} = console;
	const say = (...parts: unknown[]) => {
		said.push(parts);
	};
	Object.assign(console, {warn: say, debug: say});
	return {
		said,
		[Symbol.dispose]() {
			Object.assign(console, {warn, debug});
		},
	};
}

const serversAt = (url: string) => ({mcp_servers: {odd: {url, protocol: 'stateless'}}});

test('what a library writes to the console while a command runs reaches no terminal', async () => {
	await using server = await startModern('stateless', makeServer);
	await using home = await gatewayHome({config: serversAt(server.url)});
	using terminal = listen();
	const {code, stdout, stderr} = await command(['mcp', 'test', 'odd'], {home: home.path});

	expect(code).toBe(0);
	expect(`${stdout}${stderr}`).not.toContain('\u001B[2J');
	expect(terminal.said).toEqual([]);
});

test('in a gateway it is a line of the log, cleaned', async () => {
	await using server = await startModern('stateless', makeServer);
	await using home = await gatewayHome({config: testConfig(serversAt(server.url))});
	using terminal = listen();
	await using gateway = await startTestGateway({home});
	await gateway.until(state => state.servers.some(({status}) => status === 'connected'));

	expect(terminal.said).toEqual([]);
	expect(gateway.log.filter(line => line.includes('A library says'))).toEqual([
		expect.stringContaining("excluding tool 'wipe␛[2Jscreen' from tools/list"),
	]);
});
