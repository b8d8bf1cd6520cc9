/**
 * A tool server that is killed in the middle of a call. Arguments: the way to it, `stdio`, `json`, `stream`, `sse` or `modern`; its journal. Its tools `look`, which only
 * reads, and `act` write the process's number, their name and their `word` there, and answer with how many lines there are; the first call with a word that begins
 * with `hang` is not answered.
 * All but `stdio` print the port; all but `modern` are servers of the SDK of the protocols before 2026-07-28.
 */
import {appendFileSync, existsSync, readFileSync} from 'node:fs';
import {createServer, type RequestListener} from 'node:http';
import {flushCompileCache} from 'node:module';
import type {AddressInfo} from 'node:net';
import {z} from 'zod';

const [way = 'stdio', journal = ''] = process.argv.slice(2);

const tools = [
	['look', true],
	['act', false],
] as const;

const inputSchema = z.object({word: z.string().default('')});

const bodyOf =
	(name: string) =>
	async ({word}: {readonly word: string}) => {
		const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [''];
		appendFileSync(journal, `${process.pid} ${name} ${word}\n`);
		return word.startsWith('hang') && !lines.some(line => line.endsWith(` ${word}`))
			? new Promise<never>(() => {})
			: {content: [{type: 'text' as const, text: `${name} ${lines.length}`}]};
	};

/** Makes servers of the older SDK. */
async function oldServers() {
	const {McpServer} = await import('@modelcontextprotocol/sdk/server/mcp.js');
	return () => {
		const server = new McpServer({name: 'mortal', version: '1.0.0'});
		for (const [name, readOnlyHint] of tools) {
			server.registerTool(name, {annotations: {readOnlyHint}, inputSchema}, bodyOf(name));
		}

		return server;
	};
}

async function oldListener(): Promise<RequestListener> {
	const {SSEServerTransport} = await import('@modelcontextprotocol/sdk/server/sse.js');
	const makeServer = await oldServers();
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
	return createSessionListener(await oldServers(), {json}).listener;
}

async function modernListener(): Promise<RequestListener> {
	const [{toNodeHandler}, {createMcpHandler, McpServer}] = await Promise.all([
		import('@modelcontextprotocol/node'),
		import('@modelcontextprotocol/server'),
	]);
	const make = () => {
		const server = new McpServer({name: 'mortal', version: '1.0.0'});
		for (const [name, readOnlyHint] of tools) {
			server.registerTool(name, {annotations: {readOnlyHint}, inputSchema}, bodyOf(name));
		}

		return server;
	};
	const handle = toNodeHandler(createMcpHandler(make, {legacy: 'reject'}));
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
	const {StdioServerTransport} = await import('@modelcontextprotocol/sdk/server/stdio.js');
	await (await oldServers())().connect(new StdioServerTransport());
}

// It is never asked to end, which is when Node writes down what it compiled.
flushCompileCache();
