import type {StoredOAuthClientInformation} from '@modelcontextprotocol/client';
import type {DeviceServer} from '../../oauth/find-device-server.ts';
import type {OAuthRequests} from '../../oauth/oauth-requests.ts';
import {refused} from '../../oauth/redeem-answer.ts';
import {codeRefusal} from '../../oauth/refusals.ts';
import {codeRequest, type DeviceCode, readCode} from './ask-for-code.ts';
import {deviceClient, waysToSayWho} from './device-client.ts';

/** Asks for a code, as a client of which the server takes how it says who it is. Hides what is secret of both. @throws ConnectError */
export async function obtainCode(
	{codeEndpoint, discovery}: DeviceServer,
	{scope, requests}: {readonly scope: string | undefined; readonly requests: OAuthRequests},
): Promise<{readonly client: StoredOAuthClientInformation; readonly code: DeviceCode}> {
	const {server, settings, redact} = requests;
	const {authorizationServerMetadata: metadata} = discovery;
	const registered = await deviceClient(metadata, {scope, requests});
	requests.hide([registered.client_secret]);
	const resource = discovery.resourceMetadata?.resource;
	const ways = waysToSayWho(registered, {
		metadata,
		configured: settings.tokenEndpointAuthMethod,
	});
	let problem = 'nothing was asked';
	for (const method of ways) {
		const client = {...registered, token_endpoint_auth_method: method};
		// What was taken once is what is said from now on.
		metadata.token_endpoint_auth_methods_supported = [method];
		const {headers, form} = codeRequest({client, metadata, scope, resource});
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
				throw refused({name: server}, code.problem);
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

	throw refused({name: server}, problem);
}
