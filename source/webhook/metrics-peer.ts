import type {IncomingMessage} from 'node:http';
import {isLoopbackHost} from '../core/loopback.ts';

const anywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Whether `/metrics` is answered to a request. A loopback `host`: to this machine itself, which a proxy on this machine that passes a request on is not. A wildcard address: to
 * everybody. Another address: to this machine and to requests that came in through that address.
 *
 * @see Decisions 3 (`metrics.host`)
 */
export function mayReadMetrics({socket, headers}: IncomingMessage, host: string): boolean {
	if (anywhere.has(host)) {
		return true;
	}

	const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
	const isLocal = !isForwarded && isLoopbackHost(plainAddress(socket.remoteAddress));
	return isLocal || (!isLoopbackHost(host) && plainAddress(socket.localAddress) === host);
}

/** An IPv4 address as such, also on a socket for both families. */
const plainAddress = (address = '') => address.replace(/^::ffff:/, '');
