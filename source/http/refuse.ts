import {STATUS_CODES, type IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {systemClock, type Clock} from '../core/clock.ts';
import {codeOf} from '../core/errors.ts';

const statuses: Readonly<Record<string, number>> = {
	HPE_HEADER_OVERFLOW: 431,
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
	ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The status for what the parser refused or waited for in vain; `undefined` when no client is left to answer. */
export function refusalStatus(error: Error, socket: Duplex): number | undefined {
	const code = codeOf(error);
	if (code === 'ECONNRESET' || !socket.writable) {
		return undefined;
	}

	return (Object.hasOwn(statuses, code) ? statuses[code] : undefined) ?? 400;
}

/** How a server says that it refuses: what comes before any answer of its own. `request`: none where it was not understood. */
export type RefusalWords = (
	status: number,
	error: string,
	request?: IncomingMessage,
) => {readonly body: string; readonly headers?: Readonly<Record<string, string>>};

export const plainRefusal: RefusalWords = (_, error) => ({body: JSON.stringify({error})});

/** How long what a client still sends is dropped before the connection is closed. */
const lingerMs = 2000;

/**
 * Answers on a connection that has no request to answer, in the form of every other answer, and closes it when the client has, or after 2 s: closing on unread data
 * resets the connection, and a reset can overtake the answer.
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
	// Node has taken its own listener away where it handed the connection over; a reset now must not end the process.
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
