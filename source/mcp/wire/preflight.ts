import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError, permanent} from './connect-error.ts';
import {openFetch} from './remote-fetch.ts';
import {timeLimit} from './time-limit.ts';
import {redactAlso, type ServerAt, type TransportParts} from './transport-parts.ts';

/** The time limit for probing an endpoint, before connecting or after a refusal. */
const lookMs = 5000;

const maxTypeLength = 100;

const maxRedirects = 5;

/** The protocol version of the probing `initialize`. */
const probedVersion = '2025-11-25';

const probe = initializeMessage(probedVersion, {name: 'svc-preflight', version: '1'});

/** An `initialize` request as text. */
export function initializeMessage(
	protocolVersion: string,
	clientInfo: {readonly name: string; readonly version: string},
): string {
	const params = {protocolVersion, capabilities: {}, clientInfo};
	return JSON.stringify({jsonrpc: '2.0', id: 0, method: 'initialize', params});
}

/**
 * Probes whether the endpoint may be a tool server, so that a web page is recognised at once. `true`: it may be. `false`: no answer within 5 s, or a network
 * failure; connecting will tell. Only a successful GET with another content type is suspicious, and then an `initialize` decides.
 *
 * @throws ConnectError for what is no tool server, and as `openRemote` does.
 */
export async function preflight(
	server: ServerAt<RemoteEndpoint>,
	{signal, secrets}: {readonly signal: AbortSignal; readonly secrets: readonly string[]},
	parts: RemoteParts & Pick<TransportParts, 'redact'>,
): Promise<boolean> {
	await using remote = openFetch(server, parts);
	using limit = timeLimit(parts.clock, lookMs, {signal});
	const ask = async (init: RequestInit) => {
		const response = await remote.fetch(remote.url, {...init, signal: limit.signal});
		await response.body?.cancel();
		return {isOk: response.ok, type: response.headers.get('content-type') ?? ''};
	};

	const accept = 'application/json, text/event-stream';
	try {
		const page = await ask({headers: {accept}});
		if (!page.isOk || isPossible(page.type)) {
			return true;
		}

		const headers = {accept, 'content-type': 'application/json'};
		const answer = await ask({method: 'POST', headers, body: probe});
		if (isPossible(answer.type)) {
			return true;
		}

		const type = escapeLine(redactAlso(parts.redact, secrets)(page.type), maxTypeLength);
		throw new ConnectError(
			permanent(
				`MCP server '${server.name}': its url answers with ${type}, not as a tool server: check url, or set skip_preflight`,
			),
		);
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ConnectError) {
			throw error;
		}

		return false;
	}
}

type RemoteParts = Pick<TransportParts, 'clock' | 'environment' | 'authorities' | 'resolve'>;

/** Whether a content type fits a tool server, or says nothing. */
const isPossible = (type: string): boolean =>
	type === '' || /^(?:application\/(?:[\w.+-]*\+)?json|text\/event-stream)\b/i.test(type);

/** Statuses with which a server of the older SSE transport may answer a POST of `initialize`: it expects GET there, or redirects. */
export const mayBeSse = (status: number | undefined): boolean =>
	status !== undefined && ([400, 404, 405].includes(status) || isRedirect(status));

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/**
 * Whether a GET of the endpoint, within its origin, returns an event stream within 5 s: if POST is refused as well, it is a server of the older SSE transport.
 * Never rejects.
 *
 * @see MCP 2025-11-25, Transports, Backwards Compatibility
 */
export async function looksLikeSse(
	server: ServerAt<RemoteEndpoint>,
	signal: AbortSignal,
	parts: RemoteParts,
): Promise<boolean> {
	try {
		await using remote = openFetch(server, parts);
		using limit = timeLimit(parts.clock, lookMs, {signal});
		const init = {headers: {accept: 'text/event-stream'}, signal: limit.signal};
		let target = remote.url;
		for (let redirects = 0; redirects <= maxRedirects; redirects++) {
			// oxlint-disable-next-line no-await-in-loop -- one leads to the next
			const {status, ok, headers, body} = await remote.fetch(target, init);
			// oxlint-disable-next-line no-await-in-loop -- the stream has no end
			await body?.cancel();
			const next = URL.parse(headers.get('location') ?? '', target.href);
			if (!isRedirect(status) || next?.origin !== remote.url.origin) {
				return ok && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
			}

			target = next;
		}
	} catch {
		// If the GET fails, it does not count as SSE; the POST's failure is reported.
	}

	return false;
}
