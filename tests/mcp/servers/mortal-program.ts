/**
 * A tool server that is killed in the middle of a call. Arguments: the way to it, `stdio`, `json`, `stream`, `sse` or `modern`; its journal. Its tools `look`, which only
 * reads, and `act` write the process's number, their name and their `word` there, and answer with how many lines there are; the first call with a word that begins
 * with `hang` is not answered.
 * All but `stdio` print the port.
 */
import {appendFileSync, existsSync, readFileSync} from 'node:fs';
import {createServer, type RequestListener} from 'node:http';
import {flushCompileCache} from 'node:module';
import type {AddressInfo} from 'node:net';
import {createMcpHandler, McpServer} from '@modelcontextprotocol/server';
import {z} from 'zod';

const [way = 'stdio', journal = ''] = process.argv.slice(2);

function makeServer(): McpServer {
	const server = new McpServer({name: 'mortal', version: '1.0.0'});
	for (const [name, readOnlyHint] of [
		['look', true],
		['act', false],
	] as const) {
		server.registerTool(
			name,
			{annotations: {readOnlyHint}, inputSchema: z.object({word: z.string().default('')})},
			async ({word}) => {
				const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [''];
				appendFileSync(journal, `${process.pid} ${name} ${word}\n`);
				return word.startsWith('hang') && !lines.some(line => line.endsWith(` ${word}`))
					? new Promise<never>(() => {})
					: {content: [{type: 'text', text: `${name} ${lines.length}`}]};
			},
		);
	}

	return server;
}

async function oldListener(): Promise<RequestListener> {
	const {SSEServerTransport} = await import('@modelcontextprotocol/server-legacy/sse');
	const sessions = new Map<string, InstanceType<typeof SSEServerTransport>>();
	return (request, response) => {
		void (async () => {
			const {pathname, searchParams} = new URL(request.url ?? '/', 'http://localhost');
			if (pathname === '/message') {
				const transport = sessions.get(searchParams.get('sessionId') ?? '');
				await (transport
					? transport.handlePostMessage(request, response)
					: response.writeHead(404).end());
				return;
			}

			const transport = new SSEServerTransport('/message', response);
			sessions.set(transport.sessionId, transport);
			await makeServer().connect(transport);
		})();
	};
}

async function sessionListener(json: boolean): Promise<RequestListener> {
	const {createSessionListener} = await import('./session-listener.ts');
	return createSessionListener(makeServer, {json}).listener;
}

async function modernListener(): Promise<RequestListener> {
	const {toNodeHandler} = await import('@modelcontextprotocol/node');
	const handle = toNodeHandler(createMcpHandler(makeServer, {legacy: 'reject'}));
	return (request, response) => {
		void handle(request as Parameters<typeof handle>[0], response);
	};
}

// Each loads what it needs alone: a life is short, and there are many.
const listeners: Readonly<Record<string, () => Promise<RequestListener>>> = {
	json: async () => sessionListener(true),
	stream: async () => sessionListener(false),
	sse: oldListener,
	modern: modernListener,
};

const listener = await listeners[way]?.();
if (listener) {
	const server = createServer(listener);
	// Whoever started it may have been killed.
	process.stdin.once('end', () => process.exit()).resume();
	server.listen(0, '127.0.0.1', () => {
		process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
	});
} else {
	const {serveStdio} = await import('@modelcontextprotocol/server/stdio');
	serveStdio(makeServer);
}

// It is never asked to end, which is when Node writes down what it compiled.
flushCompileCache();
