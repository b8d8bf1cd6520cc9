import {
	extractWWWAuthenticateParams,
	type FetchLike,
	LATEST_PROTOCOL_VERSION,
} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../../config/tool-server.ts';
import type {LoginPolling} from '../../../core/logins.ts';
import {version} from '../../../core/program.ts';
import {boundedRequest} from '../../oauth/bounded-request.ts';
import {scopeUnion} from '../../oauth/client-identity.ts';
import {type DeviceServer, findDeviceServer} from '../../oauth/find-device-server.ts';
import type {LoginOptions} from '../../oauth/login-options.ts';
import {oauthFetch} from '../../oauth/oauth-fetch.ts';
import type {OAuthRequests} from '../../oauth/oauth-requests.ts';
import {ConnectError, loginError} from '../../wire/connect-error.ts';
import {initializeMessage} from '../../wire/preflight.ts';
import type {DeviceCode} from './ask-for-code.ts';
import {type PendingGrant, awaitGrant, deviceProvider} from './await-grant.ts';
import {obtainCode} from './obtain-code.ts';

export type DeviceLoginOptions = Pick<LoginOptions, 'open' | 'secrets' | 'signal'> & {
	/** Shows a person what to do, for so long. `issuer`: the authorization server. */
	readonly showCode: (
		code: DeviceCode,
		about: {readonly waitMs: number; readonly issuer: string},
	) => void;
	/** The person was asked for, and has not answered yet. */
	readonly onAsked: (polling: LoginPolling) => void;
	/** The person has agreed. */
	readonly onAgreed: () => void;
};

const probeTimeoutMs = 30_000;
const maxProbeBytes = 65_536;

/**
 * Has a person agree on any device, and stores what is granted then; nothing that is stored changes before.
 *
 * @throws ConnectError
 * @see RFC 8628, manual/logins.md#with-a-code
 */
export async function logInByDevice(
	server: ToolServerConfig,
	{open, secrets, signal, showCode, onAsked, onAgreed}: DeviceLoginOptions,
	requests: OAuthRequests,
): Promise<void> {
	const asked: PendingGrant = {};
	const provider = deviceProvider(requests, asked);
	await using opened = await open(server, {
		signal,
		secrets,
		login: {
			credentials: provider,
			fetchWith: (fetch, home) => oauthFetch(requests, fetch, {home, ends: signal}),
		},
	});
	try {
		const {fetch} = requests;
		if (!fetch) {
			throw loginError(server.name, 'it has no remote endpoint');
		}

		const {endpoint} = requests;
		const ask = async (token?: string) => probe(server, {requests, fetch, signal}, token);
		const {resourceMetadataUrl, scope: challenged} = extractWWWAuthenticateParams(await ask());
		const found = await findDeviceServer({name: server.name, endpoint, resourceMetadataUrl, fetch});
		const scope = scopeOf(found, challenged, requests);
		const {client, code} = await obtainCode(found, {scope, requests});
		Object.assign(asked, {client, code});
		const {timeoutMs} = requests.settings;
		const {issuer} = found.discovery.authorizationServerMetadata;
		showCode(code, {waitMs: Math.min(timeoutMs, code.lifetimeMs), issuer});
		const tokens = await awaitGrant({found, code, provider, requests, signal, onAsked});
		onAgreed();
		// Before it takes the place of a login that works. Any other answer, or none, does not matter here.
		const answer = await ask(tokens.access_token).catch(() => undefined);
		if (answer?.status === 401) {
			throw loginError(server.name, 'it refuses the token that was granted');
		}

		const {grant, settings} = requests;
		const owner = settings.clientId === undefined ? client : undefined;
		const {discovery} = found;
		await grant.replace({...tokens, issuer}, {client: owner, discovery, byDevice: true});
	} catch (error) {
		signal.throwIfAborted();
		throw error instanceof ConnectError
			? error
			: loginError(server.name, opened.explain(error).message, {cause: error});
	}
}

/** Asks the tool server something that may want a login. Its answer alone is of interest. */
async function probe(
	{endpoint}: ToolServerConfig,
	{requests, fetch, signal}: {requests: OAuthRequests; fetch: FetchLike; signal: AbortSignal},
	token: string | undefined,
): Promise<Response> {
	const isSse = endpoint.transport === 'sse';
	const headers = {
		accept: isSse ? 'text/event-stream' : 'application/json, text/event-stream',
		...(!isSse && {'content-type': 'application/json'}),
		...(token !== undefined && {authorization: `Bearer ${token}`}),
	};
	const body = initializeMessage(LATEST_PROTOCOL_VERSION, {name: 'svc', version});
	const init = {headers, ...(isSse ? {method: 'GET'} : {method: 'POST', body})};
	const bounds = {clock: requests.clock, timeoutMs: probeTimeoutMs, maxBytes: maxProbeBytes};
	const ask = async (limited: AbortSignal) => {
		const response = await fetch(requests.endpoint, {...init, signal: limited});
		// A stream would not end.
		await response.body?.cancel();
		return new Response(null, {status: response.status, headers: response.headers});
	};

	return boundedRequest(ask, {bounds, signal});
}

/** What to ask for: as the settings say, else what the server wants, and to be let in again. */
function scopeOf(
	{discovery: {resourceMetadata, authorizationServerMetadata: metadata}}: DeviceServer,
	challenged: string | undefined,
	{settings, scopeFor}: OAuthRequests,
): string | undefined {
	const wanted = scopeFor(challenged ?? resourceMetadata?.scopes_supported?.join(' '));
	return settings.scope === undefined &&
		wanted !== undefined &&
		metadata.scopes_supported?.includes('offline_access')
		? scopeUnion(wanted, 'offline_access')
		: wanted;
}
