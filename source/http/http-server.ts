import {readFileSync} from 'node:fs';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {Clock} from '../core/clock.ts';
import {messageOf} from '../core/errors.ts';
import {countOf} from '../core/names.ts';
import {orElse} from '../core/or-else.ts';
import type {World} from '../core/world.ts';
import {createConnections} from './connections.ts';
import {respond, type HttpPair, malformationOf} from './http-messages.ts';
import {plainRefusal, refuseConnection, refusalStatus, type RefusalWords} from './refuse.ts';

export type HttpLimits = {
	/** Most open connections. Lowered if the process may open too few file descriptors. */
	readonly maxConnections: number;
	/** Time from the start of a connection, or the end of an answer, to the end of the next header. Checked every `checkIntervalMs`. */
	readonly headersTimeoutMs: number;
	readonly requestTimeoutMs: number;
	readonly checkIntervalMs: number;
	readonly keepAliveTimeoutMs: number;
	readonly maxHeaderBytes: number;
};

export const usualLimits: HttpLimits = {
	maxConnections: 2000,
	headersTimeoutMs: 5000,
	requestTimeoutMs: 15_000,
	checkIntervalMs: 1000,
	keepAliveTimeoutMs: 5000,
	maxHeaderBytes: 16_384,
};

type ServerDependencies = Pick<World, 'clock' | 'log'> & {
	readonly handle: (pair: HttpPair) => Promise<void>;
	/** Called for a request that never reached `handle`, with the status of its answer. */
	readonly onRefused: (status: number) => void;
	/** Called when an idle connection was closed to make room for another. */
	readonly onEvicted: () => void;
	/** Called when a new connection was closed because all others are in use. */
	readonly onDropped: () => void;
	/** Writes the refusal of requests that never reach `handle`; by default `{"error": "why"}`. */
	readonly refusal?: RefusalWords;
};

export type HttpServer = ReturnType<typeof createHttpServer>;

const logIntervalMs = 60_000;

/** Most requests of one connection that are handled at once. Later ones wait until earlier answers are sent, so that a client which reads nothing cannot fill the memory. */
const maxAtOnce = 8;

/** A connection with more unanswered requests is closed: one read of the socket can bring thousands of short requests. */
const maxUnanswered = 100;

/**
 * An HTTP/1.1 server: strict parser, short timeouts, bounded connections, refusals as JSON. It does not
 * listen yet.
 */
export function createHttpServer(
	{
		handle,
		clock,
		log,
		onRefused,
		onEvicted,
		onDropped,
		refusal: words = plainRefusal,
	}: ServerDependencies,
	limits: HttpLimits = usualLimits,
) {
	const most = affordable(limits.maxConnections, descriptorLimit());
	const server = createServer({
		headersTimeout: limits.headersTimeoutMs,
		requestTimeout: limits.requestTimeoutMs,
		connectionsCheckingInterval: limits.checkIntervalMs,
		keepAliveTimeout: limits.keepAliveTimeoutMs,
		maxHeaderSize: limits.maxHeaderBytes,
		noDelay: true,
		// Off, since `malformationOf` checks the header: Node would answer without a body, and accept two `Host` headers.
		requireHostHeader: false,
	});
	// Unlimited, since the size of the header bounds the number: with a limit, Node would drop further headers, perhaps a second `Host`.
	server.maxHeadersCount = 0;
	const warnOfEvicted = createThrottledReport(clock, logIntervalMs, count => {
		log.warn(`Closed ${countOf(count, 'idle connection')}: more than ${most} are open`);
	});
	const warnOfDropped = createThrottledReport(clock, logIntervalMs, count => {
		log.warn(
			`Refused ${countOf(count, 'connection')}: more than ${most} are open, none of them idle`,
		);
	});
	const warnOfFailure = createThrottledReport(clock, logIntervalMs, count => {
		log.error(`Cannot take ${count} connections: the system has no more file descriptors`);
	});
	// Throttled, since any stranger can cause refusals in any number.
	const tellOfRefused = createThrottledReport(clock, logIntervalMs, (count, last: string) => {
		log.debug(`Refused ${countOf(count, 'request')} without HTTP: ${last}`);
	});
	const warnOfUnanswered = createThrottledReport(clock, logIntervalMs, (count, error: string) => {
		log.error(`Cannot answer ${countOf(count, 'request')}`, {error});
	});
	const connections = createConnections({
		most,
		onEvicted() {
			onEvicted();
			warnOfEvicted();
		},
		onDropped() {
			onDropped();
			warnOfDropped();
		},
	});

	const refuse = (pair: HttpPair, status: number, error: string) => {
		onRefused(status);
		respond(pair, {status, ...words(status, error, pair.request), close: true}, clock);
	};

	const take =
		(awaitsContinue: boolean, serve: (pair: HttpPair) => void = answer) =>
		(request: IncomingMessage, response: ServerResponse) => {
			const {socket} = request;
			// The parser goes on with what was read before the socket was destroyed.
			if (socket.destroyed) {
				return;
			}

			const unanswered = connections.answer(socket, response);
			if (unanswered > maxUnanswered) {
				tellOfRefused(`more than ${maxUnanswered} requests of a connection wait for an answer`);
				socket.destroy();
				return;
			}

			const pair = {request, response, awaitsContinue};
			if (unanswered <= maxAtOnce) {
				serve(pair);
				return;
			}

			const before = connections.pending(socket).at(-1 - maxAtOnce);
			before?.once('close', () => {
				if (!socket.destroyed) {
					serve(pair);
				}
			});
		};

	const answer = (pair: HttpPair) => {
		const malformation = malformationOf(pair.request);
		if (malformation !== undefined) {
			refuse(pair, 400, malformation);
			return;
		}

		void handle(pair).catch((error: unknown) => {
			warnOfUnanswered(messageOf(error));
			if (pair.response.headersSent) {
				pair.response.destroy();
			} else {
				refuse(pair, 503, 'Not available');
			}
		});
	};

	server.on('connection', socket => connections.open(socket));
	server.on('request', take(false));
	// A client with `Expect: 100-continue` may be refused before it sends the body.
	server.on('checkContinue', take(true));
	server.on(
		'checkExpectation',
		take(true, pair => refuse(pair, 417, 'Expectation Failed')),
	);
	server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
		// Node has removed its own `error` listener: without this one, a reset would end the process.
		socket.on('error', () => {
			socket.destroy();
		});
		inTurn(socket, connections.pending(socket), () => {
			onRefused(405);
			refuseConnection(socket, 405, {
				error: 'Method not allowed',
				headers: 'Allow: \r\n',
				clock,
				words,
			});
		});
	});
	const refused = new WeakSet<Duplex>();
	server.on('clientError', (error, socket) => {
		// The parser emits the same error again for further data.
		if (refused.has(socket)) {
			return;
		}

		refused.add(socket);
		inTurn(socket, connections.pending(socket), () => {
			const status = refusalStatus(error, socket);
			if (status === undefined) {
				socket.destroy();
				return;
			}

			onRefused(status);
			tellOfRefused(`${status}, ${messageOf(error)}`);
			refuseConnection(socket, status, {clock, words});
		});
	});
	server.on('error', () => {
		// Errors before listening are reported by `listen`; later ones mean that no connection could be accepted.
		if (server.listening) {
			connections.makeRoom();
			warnOfFailure();
		}
	});
	return {
		server,
		/** The number of open connections. */
		connections: (): number => connections.count,
		/** Closes all connections without an open request, also those that never sent one. */
		closeIdle: () => connections.closeIdle(),
	};
}

/**
 * Calls `refuse` after earlier requests are answered, so that answers keep their order and are not mixed. An incomplete request is refused itself; if its answer has begun, the
 * connection is only closed.
 */
function inTurn(socket: Duplex, pending: readonly ServerResponse[], refuse: () => void): void {
	if (pending.some(({req, headersSent}) => !req.complete && headersSent)) {
		socket.destroy();
		return;
	}

	const before = pending.findLast(({req}) => req.complete);
	if (before) {
		before.once('close', refuse);
	} else {
		refuse();
	}
}

/** Descriptors reserved for everything else: the store, the log, tool servers and programs, outgoing calls. */
const reserved = 256;

const minConnections = 16;

/** The limit of connections for a server that wants `most`, in a process that may open `descriptors` files. */
export const affordable = (most: number, descriptors: number): number =>
	Math.min(most, Math.max(minConnections, descriptors - reserved));

/** Most file descriptors of this process; infinite if the system does not say (only Linux does). */
export function descriptorLimit(): number {
	const limits = orElse(() => readFileSync('/proc/self/limits', 'utf8'), '');
	const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
	return soft === undefined ? Infinity : Number(soft);
}

/** Throttles `report`: the first call reports at once, later ones at most every `intervalMs`, with the number of calls since the last report and the latest detail. */
function createThrottledReport<Detail = void>(
	clock: Clock,
	intervalMs: number,
	report: (count: number, detail: Detail) => void,
): (detail: Detail) => void {
	let count = 0;
	let nextAt = -Infinity;
	return detail => {
		count += 1;
		const now = clock.monotonic();
		if (now >= nextAt) {
			nextAt = now + intervalMs;
			report(count, detail);
			count = 0;
		}
	};
}
