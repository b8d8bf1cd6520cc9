/** A stdio tool server of 2026-07-28; its first argument says what becomes of a handshake: `serve` or `reject`. */
import {McpServer} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import {z} from 'zod';

const [legacy = 'serve'] = process.argv.slice(2);

serveStdio(
	() => {
		const server = new McpServer(
			{name: 'era', version: '1.0.0'},
			{capabilities: {tools: {listChanged: true}}},
		);
		server.registerTool(
			'echo',
			{inputSchema: z.object({message: z.string()}), annotations: {readOnlyHint: true}},
			async ({message}) => ({content: [{type: 'text', text: `Echo: ${message}`}]}),
		);
		server.registerTool('add-tool', {inputSchema: z.object({})}, async () => {
			server.registerTool('added', {inputSchema: z.object({})}, async () => ({content: []}));
			return {content: []};
		});
		return server;
	},
	{legacy: legacy === 'reject' ? 'reject' : 'serve'},
);
