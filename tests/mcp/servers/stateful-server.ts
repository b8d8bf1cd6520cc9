import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import {z} from 'zod';
import {startHttp} from './http-server.ts';
import {createSessionListener} from './session-listener.ts';

/** A server with sessions. Its tool is `echo`, unless it is made otherwise. */
export async function startStateful(make = () => echoServer(), {json = false} = {}) {
	const {sessions, listener} = createSessionListener(make, {json});
	const http = await startHttp(listener);
	return {
		...http,
		sessions,
		/** As after a restart. */
		forget() {
			sessions.clear();
		},
	};
}

/** `annotations` of its tool. */
export function echoServer(annotations: {readonly readOnlyHint?: boolean} = {}): McpServer {
	const server = new McpServer({name: 'stateful', version: '1.0.0'});
	server.registerTool(
		'echo',
		{annotations, inputSchema: z.object({message: z.string()})},
		async ({message}) => ({
			content: [{type: 'text', text: message}],
		}),
	);
	return server;
}
