import type {IncomingMessage} from 'node:http';
import {isLoopbackHost} from '../core/loopback.ts';
import {hostOf} from '../http/request-target.ts';
import type {RequestTarget} from '../http/request-target.ts';

const anywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Who asks for `/metrics`: somebody whom `metrics.host` allows, a stranger, or a browser on this machine that was misled: a web page may ask under a name of its own that
 * resolves to this machine (DNS rebinding), and would read the answer. A loopback `host` allows this machine itself, which a proxy on this machine that passes a request on is
 * not. A wildcard address allows everybody. Another address: this machine, and requests that came in through that address, under whatever name. None: nobody.
 *
 * @see manual/metrics.md
 */
export function metricsReader(
	{socket, headers}: IncomingMessage,
	{authority}: RequestTarget,
	host: string | undefined,
): 'allowed' | 'stranger' | 'misled' {
	if (host === undefined) {
		return 'stranger';
	}

	if (anywhere.has(host)) {
		return 'allowed';
	}

	if (!isLoopbackHost(host) && plainAddress(socket.localAddress) === host) {
		return 'allowed';
	}

	const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
	if (isForwarded || !isLoopbackHost(plainAddress(socket.remoteAddress))) {
		return 'stranger';
	}

	// A request without a host is HTTP/1.0, no browser's.
	return authority === undefined || isLoopbackHost(hostOf(authority)) ? 'allowed' : 'misled';
}

/** An IPv4 address as such, also on a socket for both families. */
const plainAddress = (address = '') => address.replace(/^::ffff:/, '');
