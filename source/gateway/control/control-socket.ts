import {once} from 'node:events';
import {chmod, rm} from 'node:fs/promises';
import {connect, type Server} from 'node:net';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';

/** Time limit for connecting: the kernel accepts on behalf of the listener. */
const connectMs = 2000;

/** Maximum length of a Unix socket's path on every system, bytes. */
const maxSocketPathBytes = 100;

/** Errors that mean: no listener. `EINVAL`: the path is too long for a socket. */
const nobody: ReadonlySet<string> = new Set([
	'ENOENT',
	'ECONNREFUSED',
	'ENOTSOCK',
	'ENOTDIR',
	'EINVAL',
]);

/** Whether a process listens on the socket at `path`, even if it never answers. */
export async function isAnswered(path: string): Promise<boolean> {
	const {promise, resolve} = Promise.withResolvers<boolean>();
	const socket = connect(path);
	socket.setTimeout(connectMs, () => resolve(true));
	socket.once('connect', () => resolve(true));
	socket.on('error', error => resolve(!nobody.has(codeOf(error))));
	const isTaken = await promise;
	socket.destroy();
	return isTaken;
}

/**
 * Lets `server` listen on the Unix socket at `socket` (0600). A socket without a listener is replaced.
 *
 * @throws SvcError `control_unavailable`; `gateway_running` when another process listens there
 */
export async function listenOn(server: Server, socket: string): Promise<void> {
	if (Buffer.byteLength(socket) > maxSocketPathBytes) {
		throw new SvcError(
			'control_unavailable',
			`Cannot open the control socket "${socket}": the path is longer than ${maxSocketPathBytes} bytes, use a shorter SVC_HOME`,
		);
	}

	await removeStale(socket);
	try {
		const listening = once(server, 'listening');
		server.listen(socket);
		await listening;
		await chmod(socket, 0o600);
	} catch (error) {
		server.close();
		throw new SvcError(
			'control_unavailable',
			`Cannot open the control socket "${socket}": ${messageOf(error)}`,
			{cause: error},
		);
	}
}

/**
 * Removes the socket file of a killed gateway; never a socket that has a listener.
 *
 * @throws SvcError `gateway_running`, `control_unavailable`
 */
async function removeStale(socket: string): Promise<void> {
	if (await isAnswered(socket)) {
		throw new SvcError(
			'gateway_running',
			`Cannot open the control socket "${socket}": another process listens on it; attach with "svc" or end it with "svc gateway stop"`,
		);
	}

	try {
		await rm(socket, {force: true});
	} catch (error) {
		throw new SvcError(
			'control_unavailable',
			`Cannot open the control socket "${socket}": something else has its place (${messageOf(error)}), remove it`,
			{cause: error},
		);
	}
}
