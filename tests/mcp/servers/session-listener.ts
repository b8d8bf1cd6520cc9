import {randomUUID} from 'node:crypto';
import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http';
import {NodeStreamableHTTPServerTransport} from '@modelcontextprotocol/node';
import type {McpServer} from '@modelcontextprotocol/server';

/** Serves Streamable HTTP with sessions; one that it does not know it answers with 404, as the specification asks. */
export function createSessionListener(
	make: () => McpServer,
	{json = false}: {readonly json?: boolean} = {},
) {
	const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

	const open = async () => {
		const transport = new NodeStreamableHTTPServerTransport({
			enableJsonResponse: json,
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: id => {
				sessions.set(id, transport);
			},
			onsessionclosed: id => {
				sessions.delete(id);
			},
		});
		await make().connect(transport);
		return transport;
	};

	const handle = async (request: IncomingMessage, response: ServerResponse) => {
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
	};

	const listener: RequestListener = (request, response) => {
		void handle(request, response);
	};

	return {sessions, listener};
}
