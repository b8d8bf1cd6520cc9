import {randomUUID} from 'node:crypto';
import {NodeStreamableHTTPServerTransport} from '@modelcontextprotocol/node';
import {McpServer} from '@modelcontextprotocol/server';
import {z} from 'zod';
import {startHttp} from './http-server.ts';

/** A server with sessions; one that it does not know it answers with 404, as the specification asks. Its tool is `echo`. */
export async function startStateful() {
	const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

	const open = async () => {
		const transport = new NodeStreamableHTTPServerTransport({
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: id => {
				sessions.set(id, transport);
			},
			onsessionclosed: id => {
				sessions.delete(id);
			},
		});
		const server = new McpServer({name: 'stateful', version: '1.0.0'});
		server.registerTool(
			'echo',
			{inputSchema: z.object({message: z.string()})},
			async ({message}) => ({
				content: [{type: 'text', text: message}],
			}),
		);
		await server.connect(transport);
		return transport;
	};

	const http = await startHttp((request, response) => {
		void (async () => {
			const id = request.headers['mcp-session-id'];
			const known = typeof id === 'string' ? sessions.get(id) : undefined;
			if (id !== undefined && !known) {
				const error = {code: -32001, message: 'Session not found'};
				response
					.writeHead(404, {'content-type': 'application/json'})
					.end(JSON.stringify({jsonrpc: '2.0', error, id: null}));
				return;
			}

			await (known ?? (await open())).handleRequest(request, response);
		})();
	});
	return {
		...http,
		sessions,
		/** As after a restart. */
		forget() {
			sessions.clear();
		},
	};
}
