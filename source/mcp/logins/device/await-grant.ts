import {
	fetchToken,
	type OAuthClientProvider,
	type OAuthTokens,
	type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import {messageOf} from '../../../core/errors.ts';
import type {LoginPolling} from '../../../core/logins.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {clientMetadata} from '../../oauth/client-identity.ts';
import {deviceGrant, type DeviceServer} from '../../oauth/find-device-server.ts';
import type {OAuthRequests} from '../../oauth/oauth-requests.ts';
import {ConnectError, loginError} from '../../wire/connect-error.ts';
import type {DeviceCode} from './ask-for-code.ts';
import {pollForGrant} from './poll-for-grant.ts';

/** The client that asks and its code, once known. */
export type PendingGrant = {client?: StoredOAuthClientInformation; code?: DeviceCode};

/** The provider with which the SDK requests the grant; it redirects no browser. */
export function deviceProvider(
	{settings}: OAuthRequests,
	asked: PendingGrant,
): OAuthClientProvider {
	return {
		redirectUrl: undefined,
		get clientMetadata() {
			return {...clientMetadata(settings, ''), redirect_uris: []};
		},
		clientInformation: () => asked.client,
		tokens: () => undefined,
		saveTokens() {},
		redirectToAuthorization() {
			throw new TypeError('a login with a code sends nobody anywhere');
		},
		saveCodeVerifier() {},
		codeVerifier: () => '',
		prepareTokenRequest: () =>
			new URLSearchParams({grant_type: deviceGrant, device_code: asked.code?.deviceCode ?? ''}),
	};
}

/** Polls until the person has decided. @throws ConnectError; the reason of `signal` */
export async function awaitGrant({
	found: {discovery},
	code,
	provider,
	requests,
	signal,
	onAsked,
}: {
	readonly found: DeviceServer;
	readonly code: DeviceCode;
	readonly provider: OAuthClientProvider;
	readonly requests: OAuthRequests;
	readonly signal: AbortSignal;
	readonly onAsked: (polling: LoginPolling) => void;
}): Promise<OAuthTokens> {
	const {clock, settings} = requests;
	let status = 0;
	const polled = await pollForGrant(code, {
		clock,
		timeoutMs: settings.timeoutMs,
		signal,
		onAsked,
		async ask() {
			status = 0;
			return fetchToken(provider, discovery.authorizationServerUrl, {
				metadata: discovery.authorizationServerMetadata,
				...(discovery.resourceMetadata && {resource: discovery.resourceMetadata.resource}),
				async fetchFn(address, init) {
					const response = await (requests.fetch ?? fetch)(address, init);
					({status} = response);
					return response;
				},
			});
		},
		isPassing: error =>
			status === 0 ? error instanceof TypeError : status === 429 || status >= 500,
	});
	if ('grant' in polled) {
		return polled.grant;
	}

	const {ended, error} = polled;
	if (error instanceof ConnectError) {
		throw error;
	}

	const reasons = {
		denied: `it was denied on the page of ${code.verificationHost}`,
		expired: 'the code expired before anybody agreed: start again',
		late: `nobody agreed within ${settings.timeoutMs / 1000} s ("timeout" in its oauth settings): start again`,
		refused: escapeLine(requests.redact(messageOf(error)), 300),
	};
	throw loginError(requests.server, reasons[ended], {cause: error});
}
