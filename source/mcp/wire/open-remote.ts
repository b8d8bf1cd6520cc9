import type {RemoteEndpoint} from '../../config/tool-server.ts';
import {explain} from './explain.ts';
import {createHttpTransport} from './http-transport.ts';
import type {OpenedTransport, OpenOptions} from './open-transport.ts';
import {readTls} from './read-tls.ts';
import {createRemoteFetch} from './remote-fetch.ts';
import {requestTarget} from './request-target.ts';
import {createSseTransport} from './sse-transport.ts';
import {redactAlso, type ServerAt, type TransportParts} from './transport-parts.ts';

export type RemoteParts = Pick<
	TransportParts,
	'clock' | 'redact' | 'environment' | 'authorities' | 'resolve'
>;

/**
 * Makes the way to a remote server; nothing is sent before `start()`.
 *
 * @throws ConnectError for its URL, its headers or its certificate files.
 */
export function openRemote(
	server: ServerAt<RemoteEndpoint>,
	{signal, secrets, login, onLost = () => {}}: OpenOptions,
	{clock, redact, environment, authorities, resolve}: RemoteParts,
): OpenedTransport {
	const {name, endpoint} = server;
	const {url, headers} = requestTarget(name, endpoint);
	const remote = createRemoteFetch(
		{url, headers},
		{
			tls: readTls(name, endpoint.tls, {environment, authorities}),
			environment,
			resolve,
		},
	);
	let isLost = false;
	const parts = {
		clock,
		fetch: login ? login.fetchWith(remote.fetch, remote.home) : remote.fetch,
		...(login && {authProvider: login.credentials}),
		onLost() {
			if (!isLost && !signal.aborted) {
				isLost = true;
				onLost();
			}
		},
	};
	const transport =
		endpoint.transport === 'sse' ? createSseTransport(url, parts) : createHttpTransport(url, parts);
	const abandon = () => {
		transport.abandon();
	};

	signal.addEventListener('abort', abandon, {once: true});
	return {
		transport,
		lastStderr: () => undefined,
		complaint: () => undefined,
		exit: () => undefined,
		explain: error =>
			explain(error, {
				server,
				signal,
				redact: redactAlso(redact, secrets),
				isEstablished: transport.isEstablished(),
				hasSession: transport.hasSession(),
			}),
		async [Symbol.asyncDispose]() {
			signal.removeEventListener('abort', abandon);
			await transport.close();
			login?.fetchEnded?.(parts.fetch);
			await remote[Symbol.asyncDispose]();
		},
	};
}
