import {InMemoryTransport, type JSONRPCMessage} from '@modelcontextprotocol/client';
import {McpServer, type McpServerFactory} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import {z} from 'zod';
import {explain} from '../../../source/mcp/wire/explain.ts';
import type {TransportFactory} from '../../../source/mcp/wire/transport-factory.ts';

/** How the other end of one connection behaves. */
export type Serve = (transport: InMemoryTransport, connection: number) => void | Promise<void>;

/** Transports to servers in this process. `sent`: methods that were asked for, by connection. */
export function createMemoryTransports(serve: Serve) {
	const sent: string[][] = [];
	const open = new Set<InMemoryTransport>();
	const transports: TransportFactory = {
		preflight: async () => {},
		isSse: async () => false,
		async open(server, {signal}) {
			const [near, far] = InMemoryTransport.createLinkedPair();
			const methods: string[] = [];
			sent.push(methods);
			const send = near.send.bind(near);
			near.send = async (message: JSONRPCMessage, options) => {
				if ('method' in message) {
					methods.push(message.method);
				}

				await send(message, options);
			};
			open.add(far);
			await serve(far, sent.length);
			return {
				transport: near,
				lastStderr: () => undefined,
				complaint: () => undefined,
				exit: () => undefined,
				explain: error =>
					explain(error, {
						server,
						signal,
						redact: text => text,
						isEstablished: true,
						hasSession: false,
					}),
				async [Symbol.asyncDispose]() {
					open.delete(far);
					await near.close();
				},
			};
		},
		async [Symbol.asyncDispose]() {},
	};
	return {
		transports,
		sent,
		/** Connections that nobody has ended. */
		count: () => open.size,
		/** Ends all connections from the other side. */
		async drop() {
			for (const transport of open) {
				open.delete(transport);
				await transport.close();
			}
		},
	};
}

const result = (text: string) => ({content: [{type: 'text' as const, text}]});

/** A server with `echo`, which only reads, and `write`, which does not say so. */
export function sampleServer(): McpServer {
	const server = new McpServer(
		{name: 'sample', version: '2.0.0'},
		{capabilities: {tools: {listChanged: true}}},
	);
	server.registerTool(
		'echo',
		{
			description: 'Says it again',
			inputSchema: z.object({message: z.string()}),
			annotations: {readOnlyHint: true},
		},
		async ({message}) => result(`Echo: ${message}`),
	);
	server.registerTool('write', {inputSchema: z.object({})}, async () => result('written'));
	return server;
}

/** Shakes hands, as servers before 2026-07-28 do. */
export const legacy =
	(make: () => McpServer = sampleServer): Serve =>
	async transport => {
		await make().connect(transport);
	};

/** Speaks 2026-07-28; shakes hands too, unless it is told not to. */
export const modern =
	({
		handshake = 'reject',
		make = sampleServer,
	}: {readonly handshake?: 'serve' | 'reject'; readonly make?: McpServerFactory} = {}): Serve =>
	transport => {
		serveStdio(make, {legacy: handshake, transport});
	};

/** Takes everything and says nothing. */
export const silent: Serve = async transport => {
	await transport.start();
};

/** Answers requests by their method, in one message each; what has no answer is an unknown method. */
export const scripted =
	(answers: Readonly<Record<string, () => Record<string, unknown>>>): Serve =>
	async transport => {
		const receive = (message: JSONRPCMessage) => {
			if (!('method' in message && 'id' in message)) {
				return;
			}

			const {id, method} = message;
			const answer = answers[method]?.();
			void transport.send(
				answer
					? {jsonrpc: '2.0', id, result: answer}
					: {jsonrpc: '2.0', id, error: {code: -32_601, message: 'Method not found'}},
			);
		};

		Object.assign(transport, {onmessage: receive});
		await transport.start();
	};

/** What a server without anything says when hands are shaken. */
export const handshake = () => ({
	protocolVersion: '2025-11-25',
	capabilities: {tools: {}},
	serverInfo: {name: 'old', version: '1'},
});
