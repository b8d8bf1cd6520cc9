import {toNodeHandler} from '@modelcontextprotocol/node';
import {createMcpHandler, type McpServerFactory} from '@modelcontextprotocol/server';
import {startHttp} from './http-server.ts';
import {sampleServer} from './memory-transports.ts';

/** A server over HTTP that speaks 2026-07-28; `stateless`: it also shakes hands, without sessions; `reject`: nothing else. */
export async function startModern(
	legacy: 'stateless' | 'reject',
	make: McpServerFactory = sampleServer,
) {
	const handle = toNodeHandler(createMcpHandler(make, {legacy}));
	return startHttp((request, response) => {
		void handle(request as Parameters<typeof handle>[0], response);
	});
}
