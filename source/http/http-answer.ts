import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Clock} from '../core/clock.ts';

/** An HTTP answer, complete. */
export type HttpAnswer = {
	readonly status: number;
	/** JSON text, unless `contentType` says otherwise. */
	readonly body: string;
	readonly contentType?: string;
	/** Value of `Retry-After`. */
	readonly retryAfterSeconds?: number;
	readonly allow?: string;
	/** Further ones. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Close the connection afterwards. */
	readonly close: boolean;
};

/** One request and the place for its answer. */
export type HttpPair = {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** The client waits for `100 Continue` before it sends the body. */
	awaitsContinue: boolean;
};

/** Sends `answer` at once, and lingers when the client may still be sending. */
export function respond(pair: HttpPair, answer: HttpAnswer, clock: Clock): void {
	const {request, response, awaitsContinue} = pair;
	const isUnread = hasUnreadBody(request);
	// Who waits for "100 Continue" and is refused sends nothing.
	if (isUnread && !awaitsContinue) {
		sendAnswerAndLinger({request, response, clock}, answer);
	} else {
		sendAnswer(response, isUnread ? {...answer, close: true} : answer);
	}
}

/** Whether the client may still be sending. */
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
 * Sends `answer` at once, then reads and drops what the client still sends (4 MiB or 2 s at most) before the connection is closed: closing on unread data resets
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
	// RFC 9110 §8.6: an answer that can have no content says nothing of its length.
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
