import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {explain} from './explain.ts';
import {createHttpTransport} from './http-transport.ts';
import type {OpenedTransport, OpenOptions} from './open-transport.ts';
import {openFetch} from './remote-fetch.ts';
import {createSseTransport} from './sse-transport.ts';
import {redactAlso, type ServerAt, type TransportParts} from './transport-parts.ts';

/**
 * Creates the transport for a remote server; sends nothing before `start()`.
 *
 * @throws ConnectError for its URL, its headers or its certificate files.
 */
export function openRemote(
	server: ServerAt<RemoteEndpoint>,
	{signal, secrets, login, onLost = () => {}}: OpenOptions,
	parts: Omit<TransportParts, 'log' | 'groups' | 'stderrLog'>,
): OpenedTransport {
	const remote = openFetch(server, parts);
	const fetch = login ? login.fetchWith(remote.fetch, remote.home) : remote.fetch;
	let isLost = false;
	const create = server.endpoint.transport === 'sse' ? createSseTransport : createHttpTransport;
	const transport = create(remote.url, {
		clock: parts.clock,
		fetch,
		...(login && {authProvider: login.credentials}),
		onLost() {
			if (!isLost && !signal.aborted) {
				isLost = true;
				onLost();
			}
		},
	});
	const abandon = () => transport.abandon();
	signal.addEventListener('abort', abandon, {once: true});
	const redact = redactAlso(parts.redact, secrets);
	return {
		transport,
		lastStderr: () => undefined,
		complaint: () => undefined,
		exit: () => undefined,
		explain(error) {
			const isEstablished = transport.isEstablished();
			const hasSession = transport.hasSession();
			return explain(error, {server, signal, redact, isEstablished, hasSession});
		},
		async [Symbol.asyncDispose]() {
			signal.removeEventListener('abort', abandon);
			await transport.close();
			login?.fetchEnded?.(fetch);
			await remote[Symbol.asyncDispose]();
		},
	};
}
