import {connect} from 'node:net';
import type {Socket} from 'node:net';

/** An answer as it came, in pieces. */
export type RawAnswer = {readonly status: number; readonly head: string; readonly body: string};

export type RawExchange = {
	readonly answers: readonly RawAnswer[];
	/** The server closed the connection after the first answer. */
	readonly closed: boolean;
};

const followUp = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const headEnd = '\r\n\r\n';

/**
 * Sends `bytes`, reads one answer, asks for `/health` on the same connection and reads until it is closed. Whoever still answers that did not close.
 * `expected`: answers that `bytes` should get. `hasBody` says no for `HEAD`.
 */
export async function rawExchange(
	address: {readonly port: number} | {readonly path: string},
	bytes: string,
	{expected = 1, hasBody = true}: {readonly expected?: number; readonly hasBody?: boolean} = {},
): Promise<RawExchange> {
	const socket = connect(address);
	const received = await new Promise<string>(resolve => {
		let text = '';
		let asked = false;
		socket.setEncoding('latin1').on('data', (more: string) => {
			text += more;
			if (!asked && answersIn(text, hasBody).length >= expected) {
				asked = true;
				socket.write(followUp);
			}
		});
		// What is written to a connection that was closed meanwhile may reset it.
		socket.on('error', () => {});
		socket.on('close', () => {
			resolve(text);
		});
		socket.write(bytes, 'latin1');
	});
	const all = answersIn(received, hasBody);
	return {answers: all.slice(0, expected), closed: all.length <= expected};
}

/** The complete answers at the start of `text`. */
function answersIn(text: string, hasBody: boolean): readonly RawAnswer[] {
	const end = text.indexOf(headEnd);
	if (end === -1) {
		return [];
	}

	const head = text.slice(0, end);
	const bodyStart = end + headEnd.length;
	const length = hasBody ? Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0) : 0;
	const body = text.slice(bodyStart, bodyStart + length);
	return body.length < length
		? []
		: [
				{status: Number(head.slice(9, 12)), head, body},
				...answersIn(text.slice(bodyStart + length), true),
			];
}

/** An open connection on which nothing is sent, with what became of it. */
export type HeldSocket = {readonly socket: Socket; readonly isClosed: () => boolean};

/** Opens a connection, writes `bytes` and leaves it. Resolves when it is open. */
export async function hold(port: number, bytes = '', host = '127.0.0.1'): Promise<HeldSocket> {
	const socket = connect({port, host: '127.0.0.1', localAddress: host});
	let closed = false;
	socket.on('error', () => {});
	socket.on('close', () => {
		closed = true;
	});
	await new Promise<void>(resolve => {
		socket.once('connect', resolve);
	});
	if (bytes !== '') {
		socket.write(bytes);
	}

	socket.resume();
	return {socket, isClosed: () => closed};
}
