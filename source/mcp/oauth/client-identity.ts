import {timingSafeEqual} from 'node:crypto';
import type {
	AuthorizationServerMetadata,
	OAuthClientMetadata,
	StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type {OAuthSettings} from './oauth-settings.ts';

/** This program's metadata for registration. @see manual/logins.md, RFC 7591 */
export function clientMetadata(settings: OAuthSettings, redirectUrl: string): OAuthClientMetadata {
	return {
		client_name: settings.clientName ?? 'svc',
		redirect_uris: [redirectUrl],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		token_endpoint_auth_method: sayableMethod(settings),
	};
}

/** The authentication method for a client that registers: none, if the authorization server allows that. */
export function sayableMethod(
	settings: OAuthSettings,
	metadata?: Pick<AuthorizationServerMetadata, 'token_endpoint_auth_methods_supported'>,
): string {
	const wanted =
		settings.tokenEndpointAuthMethod ?? (settings.clientSecret ? 'client_secret_basic' : 'none');
	const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
	return settings.tokenEndpointAuthMethod !== undefined ||
		supported.length === 0 ||
		supported.includes(wanted)
		? wanted
		: (['client_secret_basic', 'client_secret_post'].find(method => supported.includes(method)) ??
				wanted);
}

/** The client that a person registered and configured. */
export function configuredClient(
	{clientId, clientSecret, tokenEndpointAuthMethod}: OAuthSettings,
	issuer?: string,
): StoredOAuthClientInformation | undefined {
	return clientId === undefined
		? undefined
		: {
				client_id: clientId,
				...(clientSecret !== undefined && {client_secret: clientSecret}),
				...(tokenEndpointAuthMethod !== undefined && {
					token_endpoint_auth_method: tokenEndpointAuthMethod,
				}),
				...(issuer !== undefined && {issuer}),
			};
}

/** Whether two issuers are equal, ignoring a final slash, which the SDK adds to one it makes itself. */
export const sameIssuer = (one: string, other: string): boolean =>
	one === other || `${one}/` === other || one === `${other}/`;

/** The scopes of all lists, without duplicates, in order. */
export function scopeUnion(...scopes: ReadonlyArray<string | undefined>): string | undefined {
	const all = new Set(scopes.flatMap(scope => scope?.split(/\s+/) ?? []).filter(Boolean));
	return all.size > 0 ? [...all].join(' ') : undefined;
}

/** Whether the expected text came back, compared in constant time if lengths are equal; false if it is missing. */
export function isSameText(expected: string, given: string | null): boolean {
	const [one, other] = [Buffer.from(expected), Buffer.from(given ?? '')];
	return one.length > 0 && one.length === other.length && timingSafeEqual(one, other);
}
