import {createServer} from 'node:http';
import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import {codeOf, messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';
import {sendAnswer} from './http-answer.ts';

/** Bounds of a connection. A `headersTimeout` means nothing without an interval that checks it. */
const bounds = {
	headersTimeout: 5000,
	requestTimeout: 15_000,
	connectionsCheckingInterval: 1000,
	keepAliveTimeout: 5000,
	maxHeaderSize: 16_384,
} as const;

const mostConnections = 2000;

/** One request and the place for its answer. */
export type HttpPair = {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The client waits for `100 Continue` before it sends the body. */
	awaitsContinue: boolean;
};

type ServerDependencies = {
	readonly handle: (pair: HttpPair) => Promise<void>;
	readonly log: Logger;
	/** A request that never reached `handle`, with the status that was answered. */
	readonly onRefused: (status: number) => void;
	/** A connection above the limit. */
	readonly onDropped: () => void;
};

export type HttpServer = {
	readonly server: Server;
	/** Open connections. */
	connections(): number;
	/** Cuts the connections on which no request is being answered, also those that never sent one. */
	closeIdle(): void;
};

/** The receiver's HTTP/1.1 server: strict parser, short timeouts, bounded connections. It does not listen yet. */
export function createHttpServer({
	handle,
	log,
	onRefused,
	onDropped,
}: ServerDependencies): HttpServer {
	const server = createServer({...bounds, noDelay: true});
	server.maxConnections = mostConnections;
	/** The newest answer of each open connection; `undefined` before the first request. */
	const answers = new Map<Duplex, ServerResponse | undefined>();
	server.on('connection', socket => {
		answers.set(socket, undefined);
		socket.once('close', () => {
			answers.delete(socket);
		});
	});
	const take =
		(awaitsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
			answers.set(request.socket, response);
			void handle({request, response, awaitsContinue});
		};

	server.on('request', take(false));
	// A request that says what it expects gets its answer before it sends the body.
	server.on('checkContinue', take(true));
	server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
		answers.set(request.socket, response);
		onRefused(417);
		const body = JSON.stringify({error: 'Expectation Failed'});
		sendAnswer(response, {status: 417, body, close: true});
	});
	server.on('clientError', (error, socket) => {
		// An answer that has begun must not get another one mixed into it.
		const answer = answers.get(socket);
		const hasBegun = answer !== undefined && answer.headersSent && !answer.writableFinished;
		const status = refuse(error, socket, hasBegun);
		if (status !== undefined) {
			onRefused(status);
			log.debug(`Refused a request with ${status}: ${messageOf(error)}`);
		}
	});
	server.on('drop', () => {
		onDropped();
		log.warn(`Refused a connection: more than ${mostConnections} are open`);
	});
	return {
		server,
		connections: () => answers.size,
		closeIdle() {
			for (const [socket, answer] of answers) {
				if (!answer || answer.writableFinished) {
					socket.destroy();
				}
			}
		},
	};
}

const statusTexts: Readonly<Record<string, string>> = {
	HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
	HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
	ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers what the parser refused, if anybody is left to answer. Returns the status. */
function refuse(error: Error, socket: Duplex, hasBegun: boolean): number | undefined {
	const code = codeOf(error);
	if (code === 'ECONNRESET' || !socket.writable || hasBegun) {
		socket.destroy();
		return undefined;
	}

	const text = Object.hasOwn(statusTexts, code) ? statusTexts[code] : undefined;
	const status = text ?? '400 Bad Request';
	const body = JSON.stringify({error: status.slice(4)});
	socket.end(
		`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		() => {
			socket.destroy();
		},
	);
	return Number(status.slice(0, 3));
}
