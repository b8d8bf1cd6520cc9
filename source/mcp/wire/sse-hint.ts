import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {abortAfter} from './preflight.ts';
import {readTls} from './read-tls.ts';
import {createRemoteFetch} from './remote-fetch.ts';
import {requestTarget} from './request-target.ts';
import type {ServerAt, TransportParts} from './transport-parts.ts';

const maxRedirects = 5;

/** With which a server of the older transport answers the POST of an `initialize`: it takes a GET there, or sends elsewhere. */
export const mayBeSse = (status: number | undefined): boolean =>
	status !== undefined &&
	(status === 400 || status === 404 || status === 405 || isRedirect(status));

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/**
 * Whether a GET of the endpoint, within its origin, is answered with an event stream, within 5 s: what refuses a POST besides is a server of the older SSE transport. Never rejects.
 *
 * @see MCP 2025-11-25, Transports, Backwards Compatibility
 */
export async function looksLikeSse(
	{name, endpoint}: ServerAt<RemoteEndpoint>,
	{signal}: {readonly signal: AbortSignal},
	{
		clock,
		environment,
		authorities,
		resolve,
	}: Pick<TransportParts, 'clock' | 'environment' | 'authorities' | 'resolve'>,
): Promise<boolean> {
	try {
		const {url, headers} = requestTarget(name, endpoint);
		const tls = readTls(name, endpoint.tls, {environment, authorities});
		await using remote = createRemoteFetch({url, headers}, {tls, environment, resolve});
		using limit = abortAfter(clock, signal);
		let target = url;
		for (let redirects = 0; redirects <= maxRedirects; redirects++) {
			// oxlint-disable-next-line no-await-in-loop -- one leads to the next
			const response = await remote.fetch(target, {
				headers: {accept: 'text/event-stream'},
				signal: limit.signal,
			});
			// oxlint-disable-next-line no-await-in-loop -- the stream has no end
			await response.body?.cancel();
			const next = URL.parse(response.headers.get('location') ?? '', target.href);
			if (!isRedirect(response.status) || next?.origin !== url.origin) {
				return (
					response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
				);
			}

			target = next;
		}
	} catch {
		// Then it is what the POST said.
	}

	return false;
}
