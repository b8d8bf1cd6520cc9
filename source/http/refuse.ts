import {STATUS_CODES, type IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {systemClock, type Clock} from '../core/clock.ts';
import {codeOf} from '../core/errors.ts';

const statuses: Readonly<Record<string, number>> = {
	HPE_HEADER_OVERFLOW: 431,
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
	ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The status for a request that the parser refused or that timed out; `undefined` if the client has disconnected. */
export function refusalStatus(error: Error, socket: Duplex): number | undefined {
	const code = codeOf(error);
	if (code === 'ECONNRESET' || !socket.writable) {
		return undefined;
	}

	return (Object.hasOwn(statuses, code) ? statuses[code] : undefined) ?? 400;
}

/** Makes the body and further headers of a refusal. `request`: absent if it could not be parsed. */
export type RefusalWords = (
	status: number,
	error: string,
	request?: IncomingMessage,
) => {readonly body: string; readonly headers?: Readonly<Record<string, string>>};

export const plainRefusal: RefusalWords = (_, error) => ({body: JSON.stringify({error})});

/** How long the rest of a request is read and dropped before the connection is closed. */
const lingerMs = 2000;

/**
 * Answers on a connection without a parsed request. Closes it when the client does, or after 2 s: closing with unread data resets the connection, and a reset can overtake the
 * answer.
 */
export function refuseConnection(
	socket: Duplex,
	status: number,
	{
		error = STATUS_CODES[status] ?? '',
		headers = '',
		clock = systemClock,
		words = plainRefusal,
	}: {error?: string; headers?: string; clock?: Clock; words?: RefusalWords} = {},
): void {
	// Node may have removed its own `error` listener: without this one, a reset would end the process.
	socket.on('error', () => {
		socket.destroy();
	});
	const {body, headers: more = {}} = words(status, error);
	const head = [
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
		'Connection: close',
		`Content-Length: ${Buffer.byteLength(body)}`,
		...Object.entries({'Content-Type': 'application/json; charset=utf-8', ...more}).map(
			([name, value]) => `${name}: ${value}`,
		),
	].join('\r\n');
	const cancel = clock.after(lingerMs, () => {
		socket.destroy();
	});
	socket.once('close', cancel);
	socket.once('end', () => {
		socket.destroy();
	});
	socket.end(`${head}\r\n${headers}\r\n${body}`);
	socket.resume();
}
