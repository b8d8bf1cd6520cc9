import type {RemoteEndpoint} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {Redact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError} from './connect-error.ts';
import {readTls} from './read-tls.ts';
import {createRemoteFetch} from './remote-fetch.ts';
import {requestTarget} from './request-target.ts';
import {redactAlso, type ServerAt, type TransportParts} from './transport-parts.ts';

/** For everything together. */
const preflightMs = 5000;

const maxTypeLength = 100;

const probe = JSON.stringify({
	jsonrpc: '2.0',
	id: 0,
	method: 'initialize',
	params: {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: {name: 'svc-preflight', version: '1'},
	},
});

/**
 * Looks whether the endpoint may be a tool server, so that a web page is called one at once. `true`: it may. `false`: it did not say within 5 s, or the network
 * was in the way; the connection will tell. Only a GET that succeeds with another content type is suspicious, and then an `initialize` has the last word.
 *
 * @throws ConnectError for what is no tool server, and as `openRemote` does.
 */
export async function preflight(
	{name, endpoint}: ServerAt<RemoteEndpoint>,
	{signal, secrets}: {readonly signal: AbortSignal; readonly secrets: readonly string[]},
	{
		clock,
		environment,
		authorities,
		redact,
		resolve,
	}: Pick<TransportParts, 'clock' | 'environment' | 'authorities' | 'redact' | 'resolve'>,
): Promise<boolean> {
	const {url, headers: configured} = requestTarget(name, endpoint);
	await using remote = createRemoteFetch(
		{url, headers: configured},
		{
			tls: readTls(name, endpoint.tls, {environment, authorities}),
			environment,
			resolve,
		},
	);
	using limit = abortAfter(clock, signal);
	const ask = async (init: RequestInit) => {
		const response = await remote.fetch(url, {...init, signal: limit.signal});
		const type = response.headers.get('content-type') ?? '';
		await response.body?.cancel();
		return {isOk: response.ok, type};
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

		throw notAServer(name, page.type, redactAlso(redact, secrets));
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof ConnectError) {
			throw error;
		}

		return false;
	}
}

/** What a tool server answers with, or what says nothing. */
const isPossible = (type: string): boolean =>
	type === '' || /^(?:application\/(?:[\w.+-]*\+)?json|text\/event-stream)\b/i.test(type);

const notAServer = (name: string, type: string, redact: Redact) =>
	new ConnectError({
		message: `MCP server '${name}': its url answers with ${escapeLine(redact(type), maxTypeLength)}, not as a tool server: check url, or set skip_preflight`,
		kind: 'permanent',
	});

/** Aborts with `signal`, or when a look at an endpoint has taken 5 s. */
export function abortAfter(
	clock: Clock,
	signal: AbortSignal,
): Disposable & {readonly signal: AbortSignal} {
	const limit = new AbortController();
	const cancel = clock.after(preflightMs, () => {
		limit.abort();
	});
	return {signal: AbortSignal.any([signal, limit.signal]), [Symbol.dispose]: cancel};
}
