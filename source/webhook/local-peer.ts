import type {IncomingMessage} from 'node:http';
import {isLoopbackHost} from '../core/loopback.ts';

/** Whether a request comes from this machine itself; one that a proxy on this machine passed on does not. */
export function isLocalPeer({socket, headers}: IncomingMessage): boolean {
	const address = socket.remoteAddress ?? '';
	const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
	return !isForwarded && isLoopbackHost(address.replace(/^::ffff:/, ''));
}
