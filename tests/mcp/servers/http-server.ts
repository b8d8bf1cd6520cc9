import {
	createServer,
	type IncomingMessage,
	type RequestListener,
	type Server,
	type ServerResponse,
} from 'node:http';
import {createServer as createTlsServer, type ServerOptions} from 'node:https';
import type {AddressInfo} from 'node:net';
import type {RemoteEndpoint} from '../../../source/config/tool-server.ts';
import {toolServer} from './tool-server.ts';

export type SeenRequest = {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingMessage['headers'];
};

/** A server on a free port of this machine that remembers what it was asked. */
export async function startHttp(handle: RequestListener, tls?: ServerOptions) {
	const requests: SeenRequest[] = [];
	const listen: RequestListener = (request, response) => {
		const {method = '', url = '', headers} = request;
		requests.push({method, path: url, headers});
		handle(request, response);
	};

	const server: Server = tls ? createTlsServer(tls, listen) : createServer(listen);
	await new Promise<void>(resolve => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const {port} = server.address() as AddressInfo;
	const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
	return {
		server,
		port,
		origin,
		url: `${origin}/mcp`,
		requests,
		/** Every connection breaks, as when the process is killed. */
		drop() {
			server.closeAllConnections();
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise(resolve => {
				server.close(resolve);
			});
		},
	};
}

/** Answers every request with the same status, type and text. */
export const always =
	(status: number, type: string, text = ''): RequestListener =>
	(_request, response) => {
		response.writeHead(status, {'content-type': type}).end(text);
	};

type Message = {
	readonly id?: number;
	readonly method: string;
	readonly params?: {readonly name?: string; readonly protocolVersion?: string};
};

/**
 * A tool server that answers with JSON: the handshake, its `tools`, and what `calls` has for a tool's name; the rest stays unanswered.
 */
export const jsonServer =
	(
		calls: Readonly<Record<string, (response: ServerResponse, id: number) => void>> = {},
		tools: readonly object[] = [],
	): RequestListener =>
	(request, response) => {
		void (async () => {
			const text = (await request.toArray()).join('');
			if (request.method !== 'POST') {
				response.writeHead(405).end();
				return;
			}

			const {id, method, params = {}} = JSON.parse(text) as Message;
			if (id === undefined) {
				response.writeHead(202).end();
				return;
			}

			if (method === 'tools/call') {
				calls[params.name ?? '']?.(response, id);
				return;
			}

			const result =
				method === 'initialize'
					? {
							protocolVersion: params.protocolVersion,
							capabilities: {tools: {}},
							serverInfo: {name: 'fixture', version: '1.0.0'},
						}
					: method === 'tools/list'
						? {tools}
						: {};
			response
				.writeHead(200, {'content-type': 'application/json'})
				.end(JSON.stringify({jsonrpc: '2.0', id, result}));
		})();
	};

/** A configured remote server. */
export const remoteServer = (url: string, changes: Partial<RemoteEndpoint> = {}) =>
	toolServer<RemoteEndpoint>({
		transport: 'http',
		url,
		headers: {},
		tls: {verify: true},
		skipPreflight: false,
		...changes,
	});
