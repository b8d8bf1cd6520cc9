import {once} from 'node:events';
import {rm} from 'node:fs/promises';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {setImmediate as turn} from 'node:timers/promises';
import {SvcError, codeOf, explained, messageOf} from '../../core/errors.ts';
import {jsonLine, type JsonValue} from '../../core/json.ts';
import type {Logger} from '../../core/log.ts';
import {identityOf} from '../../core/own-files.ts';
import {asReplaced} from '../../core/program.ts';
import {malformationOf} from '../../http/http-messages.ts';
import {refuseConnection, refusalStatus} from '../../http/refuse.ts';
import type {GatewayPort} from '../port.ts';
import {isAnswered, listenOn} from './control-socket.ts';
import {streamMessage, type StreamedName} from './event-stream.ts';

const maxBodyBytes = 8 * 1024 * 1024;

/** An attached face with this many unread bytes is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** A face with this many unread bytes gets no text deltas; it receives whole answers. */
const maxUnreadWordsBytes = 256 * 1024;

export type ControlServer = Awaited<ReturnType<typeof startControlServer>>;

/**
 * The control API on a Unix socket (0600), used by the interface in attach mode and by every command that talks to a running gateway. Only the owner of the home reaches
 * it. A socket without a listener is replaced.
 *
 * @throws SvcError `control_unavailable`; `gateway_running` when another process listens there
 */
export async function startControlServer(
	given: {readonly port: GatewayPort; readonly version: string; readonly log: Logger},
	{socket}: {readonly socket: string},
) {
	const {port, version, log} = given;
	const streams = new Set<ServerResponse>();
	/** The listening server, and earlier ones that still have connections. */
	const servers = new Set<Server>();
	const listen = async () => {
		const server = createControlServer({port, version, streams, log});
		await listenOn(server, socket);
		servers.add(server);
		server.on('close', () => {
			servers.delete(server);
		});
		server.on('error', error => log.error('The control socket failed', {error: error.message}));
		return {server, identity: identityOf(socket)};
	};

	let current = await listen();
	let said = '';
	let looking: Promise<void> | undefined;
	let isEnding = false;

	const look = async () => {
		try {
			if (isEnding || identityOf(socket) === current.identity) {
				said = '';
				return;
			}

			// Closed before the next server uses the path: closing removes the file there. Its connections go on.
			if (!(await isAnswered(socket))) {
				current.server.close();
			}

			current = await listen();
			said = '';
			log.warn(
				`Listening on "${socket}" again: it was removed or replaced, and nobody listened there`,
			);
		} catch (error) {
			const problem = messageOf(error);
			if (problem !== said) {
				log.error(problem);
			}

			said = problem;
		}
	};

	return {
		/**
		 * Checks that the socket is still at its path: a removed or replaced one gets no connections. If nobody listens there, listens again and logs it; open streams go on. A
		 * socket of another process is left alone. Never rejects.
		 */
		async keep() {
			looking ??= look();
			await looking;
			looking = undefined;
		},
		async [Symbol.asyncDispose]() {
			isEnding = true;
			await looking;
			const isOurs = identityOf(socket) === current.identity;
			const closed = [...servers].map(async server => once(server, 'close'));
			current.server.close();
			// Events are emitted in the next turn; faces must receive the last ones before their stream ends.
			await turn();
			for (const stream of streams) {
				stream.end();
			}

			for (const server of servers) {
				server.closeAllConnections();
			}

			await Promise.all(closed);
			if (isOurs) {
				await rm(socket, {force: true});
			}
		},
	};
}

/** A server of the control API that does not listen yet. */
function createControlServer({log, ...served}: Served & {readonly log: Logger}): Server {
	const server = createServer(
		// The host header is checked below: Node would answer without a body, and accepts two.
		{requestTimeout: 30_000, headersTimeout: 5000, requireHostHeader: false},
		(request, response) => {
			const malformation = malformationOf(request);
			if (malformation !== undefined) {
				response.setHeader('connection', 'close');
				send(response, 400, {error: malformation, code: 'bad_request'});
				return;
			}

			void respond(served, request, response).catch((error: unknown) => {
				log.warn('Cannot answer on the control socket', {error: messageOf(error)});
				response.destroy();
			});
		},
	);
	// The header size limits their number; a second `Host` must not be cut off behind many other headers.
	server.maxHeadersCount = 0;
	server.on('connect', (_request: IncomingMessage, connection: Duplex) => {
		refuseConnection(connection, 405, {error: 'Method not allowed', headers: 'Allow: \r\n'});
	});
	server.on('clientError', (error, connection) => {
		const status = refusalStatus(error, connection);
		if (status === undefined) {
			connection.destroy();
		} else {
			refuseConnection(connection, status);
		}
	});
	return server;
}

/** The path of `stop`. Answered without lazily loaded modules: stopping must work even after an update has replaced the program. */
const stopPath = '/v1/stop';

type Served = {
	readonly port: GatewayPort;
	readonly version: string;
	/** Open event streams. */
	readonly streams: Set<ServerResponse>;
};

async function respond(
	{port, version, streams}: Served,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const url = URL.parse(`http://localhost${request.url ?? '/'}`);
	if (!url) {
		refuseUrl(request, response);
		return;
	}

	if (request.method === 'GET' && url.pathname === '/openapi.json') {
		const {controlOpenApi} = await import('./control-openapi.ts');
		send(response, 200, controlOpenApi(version));
		return;
	}

	if (request.method === 'GET' && url.pathname === '/v1/events') {
		streamEvents(port, response);
		streams.add(response);
		response.on('close', () => {
			streams.delete(response);
		});
		return;
	}

	const gone = new AbortController();
	response.on('close', () => gone.abort());
	try {
		if (request.method === 'POST' && url.pathname === stopPath) {
			await port.stop();
			send(response, 200, {done: true});
			return;
		}

		// Loaded by the first call, so that the start does not wait for it.
		const {answerCall, findOperation} = await import('./answer-call.ts');
		const asked = findOperation(request.method ?? '', url.pathname);
		if (!asked) {
			refuseUrl(request, response);
			return;
		}

		const body = await readJson(request, asked.operation.maxBodyBytes);
		const input = {query: url.searchParams, body, hungUp: gone.signal};
		const answer = await answerCall(port, asked, input);
		send(
			response,
			answer === undefined ? 404 : 200,
			answer ?? {error: 'Not found', code: 'not_found'},
		);
	} catch (thrown) {
		const failure = asReplaced(thrown);
		const status = failure instanceof SvcError ? 409 : 500;
		const error = explained(failure);
		send(response, status, {error: messageOf(error), code: codeOf(error)});
	}
}

const refuseUrl = ({method, url}: IncomingMessage, response: ServerResponse): void => {
	send(response, 404, {error: `No such operation: ${method} ${url}`, code: 'unknown_url'});
};

async function readJson(request: IncomingMessage, maxBytes = maxBodyBytes): Promise<JsonValue> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request) {
		// Without an encoding set, chunks of a request are buffers.
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion
		const buffer = chunk as Buffer;
		bytes += buffer.length;
		if (bytes > maxBytes) {
			throw new SvcError(
				'bad_request',
				`Cannot take the request body: it is larger than ${maxBytes} bytes`,
			);
		}

		chunks.push(buffer);
	}

	const text = Buffer.concat(chunks).toString('utf8');
	try {
		return text === '' ? null : JSON.parse(text);
	} catch (error) {
		throw new SvcError('bad_request', 'Cannot read the request body: it is not JSON', {
			cause: error,
		});
	}
}

function send(response: ServerResponse, status: number, value: unknown): void {
	const body = Buffer.from(jsonLine(value));
	response.writeHead(status, {'content-type': 'application/json', 'content-length': body.length});
	response.end(body);
}

/** Sends the state, then every batch of events, until the face disconnects or falls too far behind. */
function streamEvents(port: GatewayPort, response: ServerResponse): void {
	response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-cache'});
	const write = (event: StreamedName, value: unknown) => {
		// Checked before writing: one large state does not make a slow reader.
		if (response.writableLength > maxUnreadBytes) {
			response.destroy();
			return;
		}

		response.write(streamMessage(event, value));
	};

	write('state', port.getState());
	const unsubscribe = port.subscribe(events => {
		const isSlow = response.writableLength > maxUnreadWordsBytes;
		const told = isSlow ? events.filter(({type}) => type !== 'run-said') : events;
		if (told.length > 0) {
			write('events', told);
		}
	});
	response.on('close', unsubscribe);
}
