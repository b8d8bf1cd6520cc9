import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {CallToolResult} from '@modelcontextprotocol/sdk/types.js';
import {expect, test} from 'vitest';
import {z} from 'zod';
import type {StdioEndpoint} from '../../../source/config/tool-server.ts';
import {createRedact} from '../../../source/core/redact.ts';
import {renderAnswer} from '../../../source/mcp/calls/render-answer.ts';
import {remoteServer} from '../servers/http-server.ts';
import {startModern} from '../servers/modern-server.ts';
import {startStateful} from '../servers/stateful-server.ts';
import {eraServer} from '../servers/stdio-server.ts';
import {openManager} from './open-manager.ts';

// The client and the server that most of the world still has: the SDK of the protocols before 2026-07-28.

/** What tools answer, by their name. */
const answers: Readonly<Record<string, CallToolResult>> = {
	text: {
		content: [
			{type: 'text', text: 'One'},
			{type: 'text', text: 'two\n\u200bthree'},
		],
	},
	nothing: {content: []},
	failure: {isError: true, content: [{type: 'text', text: 'There is no such customer'}]},
	link: {content: [{type: 'resource_link', name: 'notes', uri: 'file:///notes.md'}]},
	embedded: {
		content: [{type: 'resource', resource: {uri: 'file:///notes.md', text: 'Notes of today'}}],
	},
	annotated: {
		content: [{type: 'text', text: 'For a person', annotations: {audience: ['user'], priority: 1}}],
	},
	structured: {
		content: [{type: 'text', text: 'Warm'}],
		structuredContent: {celsius: 21.5, sky: {clouds: 2}},
	},
};

const outputSchema = z.object({celsius: z.number(), sky: z.object({clouds: z.number()})});

function makeServer(): McpServer {
	const server = new McpServer({name: 'peer', version: '1.0.0'});
	for (const [name, answer] of Object.entries(answers)) {
		server.registerTool(
			name,
			{
				description: `Answers ${name}`,
				annotations: {readOnlyHint: true},
				inputSchema: z.object({count: z.number().optional()}),
				...(name === 'structured' && {outputSchema}),
			},
			async () => answer,
		);
	}

	server.registerTool('thrown', {description: 'Answers thrown'}, async () => {
		throw new Error('The database is away');
	});
	return server;
}

async function connected(transport: Transport) {
	const client = new Client({name: 'older', version: '1.0.0'});
	await client.connect(transport);
	return {
		client,
		async [Symbol.asyncDispose]() {
			await client.close();
		},
	};
}

const overHttp = async (url: string) => connected(new StreamableHTTPClientTransport(new URL(url)));

test('our calls and those of the older SDK give the same on one server', async () => {
	await using http = await startStateful(makeServer);
	await using oracle = await overHttp(http.url);
	await using managed = await openManager();
	await managed.apply(remoteServer(http.url));
	const {tools} = await oracle.client.listTools();
	expect(managed.view().tools.map(({tool, description}) => [tool, description])).toEqual(
		tools
			.map(({name, description}) => [name, description])
			.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
	);

	const calls = [
		...[...Object.keys(answers), 'thrown'].map(name => ({name, arguments: {}})),
		{name: 'text', arguments: {count: 'many'}},
	];
	for (const call of calls) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const ours = await managed.call(call.name, call.arguments);
		// oxlint-disable-next-line no-await-in-loop
		const theirs = (await oracle.client.callTool(call)) as CallToolResult;
		const {content, structuredContent: structured, isError} = theirs;
		const answer = {
			content,
			...(structured && {structured}),
			...(isError !== undefined && {isError}),
		};
		// oxlint-disable-next-line no-await-in-loop
		const rendered = await renderAnswer(answer, {cacheDir: '', redact: createRedact(() => [])});
		expect({call, ...ours}).toEqual({call, ...rendered});
	}
});

test('the client of the older SDK shakes hands with the servers of our tests that speak both', async () => {
	await using http = await startModern('stateless');
	const {command, args} = eraServer('serve').endpoint as StdioEndpoint;
	for (const transport of [
		new StreamableHTTPClientTransport(new URL(http.url)),
		new StdioClientTransport({command, args: [...args]}),
	]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await using peer = await connected(transport);
		// oxlint-disable-next-line no-await-in-loop
		const {content} = await peer.client.callTool({name: 'echo', arguments: {message: 'hello'}});
		expect(content).toEqual([{type: 'text', text: 'Echo: hello'}]);
	}
});
