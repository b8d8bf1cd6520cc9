import {
	type AuthorizationServerMetadata,
	type ClientAuthMethod,
	selectClientAuthMethod,
	type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import {z} from 'zod';
import {version} from '../../../core/program.ts';
import {configuredClient, sayableMethod} from '../../oauth/client-identity.ts';
import {deviceGrant} from '../../oauth/find-device-server.ts';
import type {OAuthRequests} from '../../oauth/oauth-requests.ts';
import {ConnectError} from '../../wire/connect-error.ts';

const registeredShape = z.object({
	client_id: z.string().min(1),
	client_secret: z.string().optional(),
	client_secret_expires_at: z.number().optional(),
	token_endpoint_auth_method: z.string().optional(),
});

/** Who asks for the code: the client of the settings, else one that registers for the grants of devices and no others. @throws ConnectError */
export async function deviceClient(
	metadata: AuthorizationServerMetadata,
	{scope, requests}: {readonly scope: string | undefined; readonly requests: OAuthRequests},
): Promise<StoredOAuthClientInformation> {
	const {settings, server, fetch} = requests;
	const {issuer, registration_endpoint: endpoint} = metadata;
	const configured = configuredClient(settings, issuer);
	if (configured) {
		return configured;
	}

	if (endpoint === undefined || !fetch) {
		throw refusal(
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
			// Left out it would mean "code", which needs a redirect; "redirect_uris" is left out, since strict servers refuse an empty list. @see RFC 7591 §2
			response_types: [],
			grant_types: [deviceGrant, 'refresh_token'],
			token_endpoint_auth_method: sayableMethod(settings, metadata),
			...(scope !== undefined && {scope}),
		}),
	});
	const registered = registeredShape.safeParse(await response.json().catch(() => undefined));
	if (!registered.success) {
		throw refusal(server, 'the answer to its registration names no client');
	}

	const {client_secret: secret, token_endpoint_auth_method: method, ...client} = registered.data;
	return {
		...client,
		...(secret !== undefined && {client_secret: secret}),
		...(method !== undefined && {token_endpoint_auth_method: method}),
		issuer,
	};
}

/**
 * The ways in which a client may say who it is, best first: servers disagree about secrets of clients that need none, and about clients that need one and did not say so. A person's own
 * setting is the only one.
 */
export function waysToSayWho(
	client: StoredOAuthClientInformation,
	{
		metadata,
		configured,
	}: {readonly metadata: AuthorizationServerMetadata; readonly configured: string | undefined},
): readonly ClientAuthMethod[] {
	const selected = selectClientAuthMethod(
		client,
		metadata.token_endpoint_auth_methods_supported ?? [],
	);
	const others: readonly ClientAuthMethod[] =
		client.client_secret === undefined ? [] : ['client_secret_basic', 'client_secret_post', 'none'];
	return configured === undefined ? [...new Set([selected, ...others])] : [selected];
}

const refusal = (name: string, reason: string): ConnectError =>
	new ConnectError({
		kind: 'permanent',
		message: `Cannot log in to tool server "${name}" with a code: ${reason}`,
	});
