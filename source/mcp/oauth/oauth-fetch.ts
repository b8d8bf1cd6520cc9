import {auth, type FetchLike, type OAuthClientProvider} from '@modelcontextprotocol/client';
import {parsedObject} from '../../core/json.ts';
import {version} from '../../core/program.ts';
import {refusalOfUrl, type EndpointPlace} from '../wire/address-guard.ts';
import {ConnectError, loginError, permanent} from '../wire/connect-error.ts';
import {boundedRequest} from './bounded-request.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {registrationRefusal} from './refusals.ts';
import {requestTokens} from './request-tokens.ts';

const metadataTimeoutMs = 10_000;
const tokenTimeoutMs = 30_000;
const maxAnswerBytes = 1_048_576;
const ownAgent = `Svc-Agent/${version}`;

/**
 * The fetch for the transport of a server with a login. Requests to the tool server go to `fetch`; requests to an authorization server get their own rules
 * (limits, allowed addresses, `User-Agent`, one refresh at a time). `fetch` adds the server's static headers only for its endpoint. `home`: how near the server
 * is, by its connections. `ends` aborts these requests, because the SDK passes them no signal.
 *
 * @see manual/logins.md, manual/tool-servers.md#states
 */
export function oauthFetch(
	requests: OAuthRequests,
	fetch: FetchLike,
	{home, ends}: {readonly home: EndpointPlace['home']; readonly ends?: AbortSignal},
): FetchLike {
	const {clock} = requests;
	const ask = async (url: URL, init: RequestInit, timeoutMs: number) =>
		boundedRequest(async signal => fetch(url, {...init, signal}), {
			bounds: {clock, timeoutMs, maxBytes: maxAnswerBytes},
			signal: AbortSignal.any([init.signal, ends].filter(each => each instanceof AbortSignal)),
		});

	requests.askForCode = async (url, init) => {
		await judge(url, requests.server, home);
		return ask(url, withAgent(init, ownAgent), tokenTimeoutMs);
	};
	requests.home = home;
	requests.fetch = async (address, init = {}) => {
		const url = new URL(address);
		const kind = requestKind(init);
		if (kind === 'tool-server') {
			const response = await fetch(address, init);
			noteVerdict(requests, response, init);
			return response;
		}

		await judge(url, requests.server, home);
		switch (kind) {
			case 'token': {
				const named = withAgent(init, requests.settings.userAgent ?? ownAgent);
				return requestTokens(requests, textOf(init.body), async body =>
					ask(url, {...named, body}, tokenTimeoutMs),
				);
			}

			case 'registration': {
				const body = registrationBody(textOf(init.body), requests);
				const response = await ask(url, {...withAgent(init, ownAgent), body}, metadataTimeoutMs);
				return readRegistration(requests, response);
			}

			case 'metadata': {
				const response = await ask(url, withAgent(init, ownAgent), metadataTimeoutMs);
				noteMetadata(requests, url, response);
				return response;
			}
		}
	};
	return requests.fetch;
}

/** Notes whether the tool server accepted the token. If refused, the token is useless, and the known metadata of its authorization server may be outdated. @see SEP-2352 */
function noteVerdict(
	{grant, metadata}: OAuthRequests,
	response: Response,
	init: RequestInit,
): void {
	const authorization = new Headers(init.headers).get('authorization') ?? '';
	const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
	if (!token) {
		return;
	}

	if (response.ok) {
		grant.refreshFailure = undefined;
	} else if (response.status === 401) {
		grant.rejectAccess(token);
		metadata.distrusted = true;
	} else if (
		response.status === 403 &&
		/\binsufficient_scope\b/.test(response.headers.get('www-authenticate') ?? '')
	) {
		grant.markInsufficient(token);
	}
}

/** @throws ConnectError */
async function judge(url: URL, server: string, home: EndpointPlace['home']): Promise<void> {
	const refusal = refusalOfUrl(url, await home());
	if (refusal) {
		throw new ConnectError(
			permanent(
				`Tool server "${server}" leads to "${url.origin}" for its login, and that is refused: ${refusal}`,
			),
		);
	}
}

function noteMetadata({metadata}: OAuthRequests, url: URL, {status, ok}: Response): void {
	metadata.statuses.push(status);
	metadata.found ||=
		ok && /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(url.pathname);
}

function withAgent(init: RequestInit, agent: string): RequestInit {
	const headers = new Headers(init.headers);
	headers.set('user-agent', agent);
	return {...init, headers};
}

/** The SDK sends strings and form data. */
const textOf = (body: RequestInit['body']): string =>
	body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';

/** Runs the SDK's authorization with the last fetch made for the provider. */
export const authorize = async (
	provider: OAuthClientProvider,
	{endpoint, fetch}: Pick<OAuthRequests, 'endpoint' | 'fetch'>,
) => auth(provider, {serverUrl: endpoint, ...(fetch && {fetchFn: fetch})});

/** The purpose of a request by the SDK. `tool-server`: a message, a stream, or the end of a session. */
export type RequestKind = 'tool-server' | 'token' | 'registration' | 'metadata';

/**
 * Classifies the SDK's requests, which all go through one function. Only a token endpoint receives a form; only a tool server receives JSON-RPC or requests for an
 * event stream; any other POST is a registration. The address does not help: a tool server may declare its own endpoint as the location of its metadata.
 */
export function requestKind(request: RequestInit): RequestKind {
	const headers = new Headers(request.headers);
	const method = (request.method ?? 'GET').toUpperCase();
	if (
		method === 'POST' &&
		/^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')
	) {
		return 'token';
	}

	if (
		method === 'DELETE' ||
		/\btext\/event-stream\b/i.test(headers.get('accept') ?? '') ||
		(typeof request.body === 'string' && isJsonRpc(request.body))
	) {
		return 'tool-server';
	}

	return method === 'POST' ? 'registration' : 'metadata';
}

/** Registrations never have this member; messages always do, as text written by the SDK. */
const isJsonRpc = (body: string): boolean => /"jsonrpc"\s*:\s*"2\.0"/.test(body);

/** The SDK's registration request with the scope that the authorization will request. @see manual/logins.md */
function registrationBody(body: string, {scopeFor}: OAuthRequests): string {
	const {scope: advertised, ...asked} = parsedObject(body) ?? {};
	const scope = scopeFor(typeof advertised === 'string' ? advertised : undefined) ?? advertised;
	return JSON.stringify({...asked, scope});
}

/**
 * Passes a registration's answer on.
 *
 * @throws ConnectError that leads with the statuses of the metadata when there was none
 * @see manual/tool-servers.md#states
 */
async function readRegistration(
	{metadata, redact, hide, server}: OAuthRequests,
	response: Response,
): Promise<Response> {
	const {status, headers} = response;
	const text = await response.text();
	if (!response.ok) {
		const lead = metadata.found ? '' : `OAuth metadata: ${metadata.statuses.join(', ')}; `;
		const refusal = registrationRefusal({status, text}, redact);
		throw loginError(server, `${lead}Registration failed: ${refusal}`);
	}

	const secret = parsedObject(text)?.['client_secret'];
	hide(typeof secret === 'string' ? [secret] : []);
	return new Response(text, {status, headers});
}
