import {randomUUID} from 'node:crypto';
import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http';
import type {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {StreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Serves Streamable HTTP with sessions, by the SDK of the protocols before 2026-07-28; one that it does not know it answers with 404, as the specification asks. */
export function createSessionListener(
	make: () => McpServer,
	{json = false}: {readonly json?: boolean} = {},
) {
	const sessions = new Map<string, StreamableHTTPServerTransport>();

	const open = async () => {
		const transport = new StreamableHTTPServerTransport({
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

	/** `body`: where somebody before has read it. */
	const handle = async (request: IncomingMessage & {body?: unknown}, response: ServerResponse) => {
		const id = request.headers['mcp-session-id'];
		const known = typeof id === 'string' ? sessions.get(id) : undefined;
		if (id !== undefined && !known) {
			const error = {code: -32001, message: 'Session not found'};
			response
				.writeHead(404, {'content-type': 'application/json'})
				.end(JSON.stringify({jsonrpc: '2.0', error, id: null}));
			return;
		}

		await (known ?? (await open())).handleRequest(request, response, request.body);
	};

	const listener: RequestListener = (request, response) => {
		void handle(request, response);
	};

	return {sessions, listener};
}
