import {
	type AuthorizationServerMetadata,
	type ClientAuthMethod,
	selectClientAuthMethod,
	type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import {version} from '../../../core/program.ts';
import {configuredClient, sayableMethod} from '../../oauth/client-identity.ts';
import {deviceGrant, type DeviceServer} from '../../oauth/find-device-server.ts';
import type {OAuthRequests} from '../../oauth/oauth-requests.ts';
import {codeRefusal} from '../../oauth/refusals.ts';
import {codeLoginError, loginError} from '../../wire/connect-error.ts';
import {readCode, type DeviceCode} from './ask-for-code.ts';

const registeredShape = z.object({
	client_id: z.string().min(1),
	client_secret: z.string().exactOptional(),
	client_secret_expires_at: z.number().exactOptional(),
	token_endpoint_auth_method: z.string().exactOptional(),
});

/** Requests a code, with a client authentication method that the server supports. Has the secrets of client and code redacted. @throws ConnectError */
export async function obtainCode(
	{codeEndpoint, discovery}: DeviceServer,
	{scope, requests}: {readonly scope: string | undefined; readonly requests: OAuthRequests},
): Promise<{readonly client: StoredOAuthClientInformation; readonly code: DeviceCode}> {
	const {server, settings, redact} = requests;
	const {authorizationServerMetadata: metadata} = discovery;
	const registered = await deviceClient(metadata, scope, requests);
	requests.hide([registered.client_secret]);
	const asked = {
		client_id: registered.client_id,
		...(scope !== undefined && {scope}),
		...(discovery.resourceMetadata && {resource: discovery.resourceMetadata.resource}),
	};
	let problem = 'nothing was asked';
	for (const method of waysToSayWho(registered, metadata, settings.tokenEndpointAuthMethod)) {
		const client = {...registered, token_endpoint_auth_method: method};
		// The method that was accepted is then used at the token endpoint too.
		metadata.token_endpoint_auth_methods_supported = [method];
		const {headers, form} = codeRequest(client, metadata, asked);
		// oxlint-disable-next-line no-await-in-loop -- until one is taken
		const answer = await requests.askForCode?.(new URL(codeEndpoint), {
			method: 'POST',
			headers,
			body: form.toString(),
		});
		const {status = 0, ok = false} = answer ?? {};
		// oxlint-disable-next-line no-await-in-loop -- see above
		const text = (await answer?.text()) ?? '';
		if (ok) {
			// oxlint-disable-next-line no-await-in-loop -- once: the answer is there
			const code = readCode(text, (await requests.home?.()) ?? 'public');
			if ('problem' in code) {
				throw loginError(server, code.problem);
			}

			requests.hide([code.deviceCode]);
			return {client, code};
		}

		const {code, message} = codeRefusal({status, text}, {form, redact});
		problem = message;
		if (code !== 'invalid_client' && code !== 'unauthorized_client') {
			break;
		}
	}

	throw loginError(server, problem);
}

/** The client that requests the code: the configured one, else one registered for device grants only. @throws ConnectError */
async function deviceClient(
	metadata: AuthorizationServerMetadata,
	scope: string | undefined,
	{settings, server, fetch}: OAuthRequests,
): Promise<StoredOAuthClientInformation> {
	const {issuer, registration_endpoint: endpoint} = metadata;
	const configured = configuredClient(settings, issuer);
	if (configured) {
		return configured;
	}

	if (endpoint === undefined || !fetch) {
		throw codeLoginError(
			server,
			'its authorization server lets nobody register: set "client_id" in the oauth settings of the server',
		);
	}

	const response = await fetch(endpoint, {
		method: 'POST',
		headers: {'content-type': 'application/json', accept: 'application/json'},
		body: JSON.stringify({
			client_name: settings.clientName ?? 'svc',
			software_version: version,
			application_type: 'native',
			// Absent, `response_types` would mean "code", which needs a redirect; `redirect_uris` is left out, since strict servers refuse an empty list. @see RFC 7591
			// §2
			response_types: [],
			grant_types: [deviceGrant, 'refresh_token'],
			token_endpoint_auth_method: sayableMethod(settings, metadata),
			scope,
		}),
	});
	const registered = registeredShape.safeParse(await response.json().catch(() => undefined));
	if (!registered.success) {
		throw codeLoginError(server, 'the answer to its registration names no client');
	}

	return {...registered.data, issuer};
}

/**
 * Client authentication methods to try, best first: servers disagree about secrets of public clients, and about clients that need one without having said so. If
 * `configured`, no other is tried.
 */
function waysToSayWho(
	client: StoredOAuthClientInformation,
	{token_endpoint_auth_methods_supported: supported = []}: AuthorizationServerMetadata,
	configured: string | undefined,
): readonly ClientAuthMethod[] {
	const selected = selectClientAuthMethod(client, supported);
	const others: readonly ClientAuthMethod[] =
		client.client_secret === undefined ? [] : ['client_secret_basic', 'client_secret_post', 'none'];
	return configured === undefined ? [...new Set([selected, ...others])] : [selected];
}

/** The body and headers of the request for a code, authenticated as the SDK does at the token endpoint. @see RFC 6749 §2.3.1 */
function codeRequest(
	client: StoredOAuthClientInformation,
	{token_endpoint_auth_methods_supported: supported = []}: AuthorizationServerMetadata,
	asked: Readonly<Record<string, string>>,
): {readonly headers: Headers; readonly form: URLSearchParams} {
	const form = new URLSearchParams(asked);
	const headers = new Headers({
		'content-type': 'application/x-www-form-urlencoded',
		accept: 'application/json',
	});
	const {client_id: id, client_secret: secret = ''} = client;
	const method = selectClientAuthMethod(client, supported);
	if (method === 'client_secret_basic') {
		headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
	} else if (method === 'client_secret_post' && secret !== '') {
		form.set('client_secret', secret);
	}

	return {headers, form};
}
