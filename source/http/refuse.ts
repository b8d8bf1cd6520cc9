import {STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import {codeOf} from '../core/errors.ts';

const statuses: Readonly<Record<string, number>> = {
	HPE_HEADER_OVERFLOW: 431,
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
	ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The status for what the parser refused or waited for in vain; `undefined` when nobody is left to answer. */
export function statusOf(error: Error, socket: Duplex): number | undefined {
	const code = codeOf(error);
	if (code === 'ECONNRESET' || !socket.writable) {
		return undefined;
	}

	return (Object.hasOwn(statuses, code) ? statuses[code] : undefined) ?? 400;
}

/** Answers on a connection that has no request to answer, in the form of every other answer, and closes it. */
export function refuseConnection(
	socket: Duplex,
	status: number,
	{error = STATUS_CODES[status] ?? '', headers = ''}: {error?: string; headers?: string} = {},
): void {
	const body = JSON.stringify({error});
	const head = [
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
		'Connection: close',
		'Content-Type: application/json; charset=utf-8',
		`Content-Length: ${body.length}`,
	].join('\r\n');
	socket.end(`${head}\r\n${headers}\r\n${body}`, () => {
		socket.destroy();
	});
}
