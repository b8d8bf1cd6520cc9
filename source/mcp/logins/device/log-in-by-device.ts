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
	/** Shows instructions to the person for this long. `issuer`: the authorization server. */
	readonly showCode: (
		code: DeviceCode,
		about: {readonly waitMs: number; readonly issuer: string},
	) => void;
	/** Called after each poll without a decision. */
	readonly onAsked: (polling: LoginPolling) => void;
	/** Called when the person has approved. */
	readonly onAgreed: () => void;
};

const probeTimeoutMs = 30_000;
const maxProbeBytes = 65_536;

/**
 * Lets a person approve the login on any device, and stores the grant; what is stored does not change before that.
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
		// Tests the token before it replaces a working login; only a 401 matters here.
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

/** Sends the tool server a request that may require a login. Only its answer matters. */
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
		// A stream would never end.
		await response.body?.cancel();
		return new Response(null, {status: response.status, headers: response.headers});
	};

	return boundedRequest(ask, {bounds, signal});
}

/** The scope to request: as configured, else what the server wants, plus offline access. */
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
