import {
	extractWWWAuthenticateParams,
	type FetchLike,
	LATEST_PROTOCOL_VERSION,
	type OAuthTokens,
	type StoredOAuthClientInformation,
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
import {refused} from '../../oauth/redeem-answer.ts';
import {ConnectError} from '../../wire/connect-error.ts';
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
			throw refused(server, 'it has no remote endpoint');
		}

		const {resourceMetadataUrl, scope: challenged} = extractWWWAuthenticateParams(
			await probe(server, {requests, fetch, signal}),
		);
		const found = await findDeviceServer({
			name: server.name,
			endpoint: requests.endpoint,
			resourceMetadataUrl,
			fetch,
		});
		const scope = scopeOf(found, {challenged, requests});
		const {client, code} = await obtainCode(found, {scope, requests});
		Object.assign(asked, {client, code});
		const {timeoutMs} = requests.settings;
		const {issuer} = found.discovery.authorizationServerMetadata;
		showCode(code, {waitMs: Math.min(timeoutMs, code.lifetimeMs), issuer});
		const tokens = await awaitGrant({found, code, provider, requests, signal, onAsked});
		onAgreed();
		// Before it takes the place of a login that works. Any other answer, or none, does not matter here.
		const answer = await probe(server, {
			requests,
			fetch,
			signal,
			token: tokens.access_token,
		}).catch(() => undefined);
		if (answer?.status === 401) {
			throw refused(server, 'it refuses the token that was granted');
		}

		await store(tokens, {found, client, requests});
	} catch (error) {
		signal.throwIfAborted();
		throw error instanceof ConnectError
			? error
			: refused(server, opened.explain(error).message, error);
	}
}

/** Asks the tool server something that may want a login. Its answer alone is of interest. */
async function probe(
	{endpoint}: ToolServerConfig,
	{
		requests,
		fetch,
		signal,
		token,
	}: {
		readonly requests: OAuthRequests;
		readonly fetch: FetchLike;
		readonly signal: AbortSignal;
		readonly token?: string;
	},
): Promise<Response> {
	const isSse = endpoint.transport === 'sse';
	const headers = {
		accept: isSse ? 'text/event-stream' : 'application/json, text/event-stream',
		...(!isSse && {'content-type': 'application/json'}),
		...(token !== undefined && {authorization: `Bearer ${token}`}),
	};
	const body = JSON.stringify({
		jsonrpc: '2.0',
		id: 0,
		method: 'initialize',
		params: {
			protocolVersion: LATEST_PROTOCOL_VERSION,
			capabilities: {},
			clientInfo: {name: 'svc', version},
		},
	});
	return boundedRequest(
		async limited => {
			const response = await fetch(requests.endpoint, {
				headers,
				signal: limited,
				...(isSse ? {method: 'GET'} : {method: 'POST', body}),
			});
			// A stream would not end.
			await response.body?.cancel();
			return new Response(null, {status: response.status, headers: response.headers});
		},
		{
			bounds: {clock: requests.clock, timeoutMs: probeTimeoutMs, maxBytes: maxProbeBytes},
			signal,
		},
	);
}

/** What to ask for: as the settings say, else what the server wants, and to be let in again. */
function scopeOf(
	{discovery: {resourceMetadata, authorizationServerMetadata: metadata}}: DeviceServer,
	{
		challenged,
		requests: {settings, scopeFor},
	}: {readonly challenged: string | undefined; readonly requests: OAuthRequests},
): string | undefined {
	const wanted = scopeFor(challenged ?? resourceMetadata?.scopes_supported?.join(' '));
	return settings.scope === undefined &&
		wanted !== undefined &&
		metadata.scopes_supported?.includes('offline_access')
		? scopeUnion(wanted, 'offline_access')
		: wanted;
}

async function store(
	tokens: OAuthTokens,
	{
		found: {discovery},
		client,
		requests: {grant, settings},
	}: {
		readonly found: DeviceServer;
		readonly client: StoredOAuthClientInformation;
		readonly requests: OAuthRequests;
	},
): Promise<void> {
	const {issuer} = discovery.authorizationServerMetadata;
	await grant.replace(
		{...tokens, issuer},
		{client: settings.clientId === undefined ? client : undefined, discovery, byDevice: true},
	);
}
