import type {IncomingMessage} from 'node:http';

/** Whether `host` names this machine alone. @see Interface 5.2 */
export const isLoopbackHost = (host: string): boolean =>
	host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Whether a request comes from this machine itself; one that a proxy on this machine passed on does not. */
export function isLocalPeer({socket, headers}: IncomingMessage): boolean {
	const address = socket.remoteAddress ?? '';
	const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
	return !isForwarded && isLoopbackHost(address.replace(/^::ffff:/, ''));
}
