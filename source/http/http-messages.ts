import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Clock} from '../core/clock.ts';

export type BodyRead =
	| {readonly kind: 'whole'; readonly body: Buffer}
	/** The body has more than `limit` bytes, or there is no room for it; the rest was not read. */
	| {readonly kind: 'too-large'}
	/** The client disconnected, or sent an invalid body. */
	| {readonly kind: 'cut'; readonly bytes: number};

/**
 * Reads a request's body, at most `limit` bytes. Never rejects. The time is bounded by the server's `requestTimeout`. `hasRoom` is called with the size of each chunk; if it
 * returns `false`, the body is `too-large`. After `too-large` the request is paused.
 */
export async function readBody(
	request: IncomingMessage,
	limit: number,
	hasRoom: (bytes: number) => boolean = () => true,
): Promise<BodyRead> {
	return new Promise(resolve => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		const settle = (result: BodyRead) => {
			request.off('data', onData);
			request.off('end', onEnd);
			request.off('close', onClose);
			resolve(result);
		};

		const onData = (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > limit || !hasRoom(chunk.length)) {
				request.pause();
				settle({kind: 'too-large'});
				return;
			}

			chunks.push(chunk);
		};

		const onEnd = () => {
			const [only] = chunks;
			// Most bodies come in one chunk, which needs no copy.
			settle({
				kind: 'whole',
				body: only && chunks.length === 1 ? only : Buffer.concat(chunks, bytes),
			});
		};

		const onClose = () => settle({kind: 'cut', bytes});

		request.on('data', onData);
		request.on('end', onEnd);
		request.on('close', onClose);
	});
}

/** The size that the client declared, in bytes; `undefined` for a chunked body. */
export function declaredSize(request: IncomingMessage): number | undefined {
	const length = request.headers['content-length'];
	return length === undefined ? undefined : Number(length);
}

export type RequestTarget = {
	/** Requested host and port, as written; `undefined` in an HTTP/1.0 request without them. */
	readonly authority: string | undefined;
	/** The path without the query. */
	readonly path: string;
};

const absolute = /^https?:\/\/([^/?]*)/i;

/**
 * The target of a request. The host of a target in absolute form (`GET http://host/path`) overrides the `Host` header.
 *
 * @see RFC 9112 §3.2.2
 */
export function requestTargetOf({url = '', headers}: IncomingMessage): RequestTarget {
	const [start = '', authority = headers.host] = url.startsWith('/')
		? []
		: (absolute.exec(url) ?? []);
	const query = url.indexOf('?', start.length);
	return {authority, path: url.slice(start.length, query === -1 ? undefined : query)};
}

/** The host of an authority, without its port. */
export const hostOfAuthority = (authority: string): string => authority.replace(/:\d*$/, '');

/** A complete HTTP answer. */
export type HttpAnswer = {
	readonly status: number;
	/** JSON text, unless `contentType` says otherwise. */
	readonly body: string;
	readonly contentType?: string;
	/** Value of `Retry-After`. */
	readonly retryAfterSeconds?: number;
	readonly allow?: string;
	/** Further headers. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Close the connection afterwards. */
	readonly close: boolean;
};

/** A request and its response. */
export type HttpPair = {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The client waits for `100 Continue` before it sends the body. */
	awaitsContinue: boolean;
};

/** Sends `answer`. If the client may still be sending its body, the connection is closed a little later: see `sendAnswerAndLinger`. */
export function respond(pair: HttpPair, answer: HttpAnswer, clock: Clock): void {
	const {request, response, awaitsContinue} = pair;
	const isUnread = hasUnreadBody(request);
	// A refused client that waits for "100 Continue" sends no body.
	if (isUnread && !awaitsContinue) {
		sendAnswerAndLinger({request, response, clock}, answer);
	} else {
		sendAnswer(response, isUnread ? {...answer, close: true} : answer);
	}
}

/** Whether the request has a body that was not read completely, so that the client may still be sending. */
const hasUnreadBody = ({complete, headers}: IncomingMessage): boolean =>
	!complete &&
	(headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');

function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
	writeHead(response, answer);
	response.end(answer.body);
}

const lingerBytes = 4 * 1024 * 1024;

const lingerMs = 2000;

/**
 * Sends `answer` at once, then reads and drops the rest of the request (at most 4 MiB or 2 s) before it closes the connection: closing with unread data resets
 * the connection, and a reset can overtake the answer.
 */
function sendAnswerAndLinger(
	world: {
		readonly request: IncomingMessage;
		readonly response: ServerResponse;
		readonly clock: Clock;
	},
	answer: HttpAnswer,
): void {
	const {request, response, clock} = world;
	let bytes = 0;
	const end = () => {
		cancel();
		request.off('data', onData);
		request.off('end', end);
		response.off('close', end);
		response.end();
	};

	const onData = (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > lingerBytes) {
			end();
		}
	};

	const cancel = clock.after(lingerMs, end);
	request.on('data', onData);
	request.on('end', end);
	response.on('close', end);
	writeHead(response, {...answer, close: true});
	response.write(answer.body);
	request.resume();
}

function writeHead(response: ServerResponse, answer: HttpAnswer): void {
	const headers = ['Content-Type', answer.contentType ?? 'application/json; charset=utf-8'];
	// RFC 9110 §8.6: a 204 has no `Content-Length`.
	if (answer.status !== 204) {
		headers.push('Content-Length', String(Buffer.byteLength(answer.body)));
	}

	headers.push(...Object.entries(answer.headers ?? {}).flat());
	if (answer.retryAfterSeconds !== undefined) {
		headers.push('Retry-After', String(answer.retryAfterSeconds));
	}

	if (answer.allow !== undefined) {
		headers.push('Allow', answer.allow);
	}

	if (answer.close) {
		headers.push('Connection', 'close');
	}

	response.writeHead(answer.status, headers);
}

/**
 * Collects the answers of one turn of the event loop, and sends them together. A reader on this machine, such as a proxy, then wakes up once; waking it for each answer costs
 * more than deciding on an ignored event. Answers after a commit come together anyway, and are sent at once, since the outbox is closed then.
 */
export function createOutbox() {
	let waiting: Array<() => void> | undefined;
	const flush = () => {
		const answers = waiting ?? [];
		waiting = undefined;
		for (const answer of answers) {
			answer();
		}
	};

	return {
		/** Opens the outbox until the end of this turn. */
		open() {
			if (!waiting) {
				waiting = [];
				setImmediate(flush);
			}
		},
		/** Sends an answer at the end of the turn while the outbox is open, else at once. */
		send(answer: () => void) {
			if (waiting) {
				waiting.push(answer);
			} else {
				answer();
			}
		},
	};
}

/** A host and a port, each optional. A comma is not allowed: it means that two headers were joined. */
const hostAndPort = /^(?:\[[\dA-F:.]+\]|[\w\-.~!$&'()*+;=%]*)(?::\d*)?$/i;

/**
 * Why a parsed request violates HTTP/1; `undefined`: it is valid. Replaces the server option `requireHostHeader`, which answers without a body and accepts a second `Host`.
 *
 * @see RFC 9112 §2.3, 3.2, 6.1, 7
 */
export function malformationOf(given: IncomingMessage): string | undefined {
	const {httpVersion, headers, rawHeaders} = given;
	if (httpVersion !== '1.1' && httpVersion !== '1.0') {
		return 'Unsupported HTTP version';
	}

	const coding = headers['transfer-encoding'];
	if (coding !== undefined && httpVersion === '1.0') {
		return 'Transfer-Encoding in an HTTP/1.0 request';
	}

	// The parser only checks that the last coding is `chunked`: bodies with further codings would pass still encoded.
	if (coding !== undefined && /,\s*chunked\s*$/i.test(coding)) {
		return 'Unsupported Transfer-Encoding';
	}

	const {host} = headers;
	if (host === undefined) {
		return httpVersion === '1.1' ? 'Missing Host header' : undefined;
	}

	if (isRepeated(rawHeaders)) {
		return 'More than one Host header';
	}

	return hostAndPort.test(host) ? undefined : 'Invalid Host header';
}

function isRepeated(rawHeaders: readonly string[]): boolean {
	let count = 0;
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index];
		if (name?.length === 4 && name.toLowerCase() === 'host') {
			count += 1;
		}
	}

	return count > 1;
}
