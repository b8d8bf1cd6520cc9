import {OAuthError, StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {ConnectError, loginError} from '../wire/connect-error.ts';
import type {LoginProvider} from './login-provider.ts';
import type {OAuthRequests} from './oauth-requests.ts';

/** Redeems what the browser brought. A refused document is no failure: the next round registers. @throws ConnectError */
export async function redeemAnswer(
	server: ToolServerConfig,
	params: URLSearchParams,
	{provider, requests}: {readonly provider: LoginProvider; readonly requests: OAuthRequests},
): Promise<void> {
	provider.checkAnswer(params);
	const refusedBefore = requests.grant.files.documentRefused();
	requests.hide([params.get('code') ?? undefined]);
	// The SDK has this step on its transports only; nothing is connected here.
	const transport = new StreamableHTTPClientTransport(requests.endpoint, {
		authProvider: provider,
		...(requests.fetch && {fetch: requests.fetch}),
	});
	try {
		await transport.finishAuth(params);
	} catch (error) {
		const answer = params.has('error') && error instanceof OAuthError ? error : undefined;
		if (answer && clientRefusals.has(answer.code)) {
			const client = await provider.clientInformation();
			await requests.onInvalidClient(client?.client_id ?? '');
		}

		if (!refusedBefore && requests.grant.files.documentRefused()) {
			return;
		}

		const lead = answer ? `the authorization server answered ${answer.code}: ` : '';
		const reason = escapeLine(requests.redact(lead + messageOf(error)), 300);
		throw error instanceof ConnectError ? error : loginError(server.name, reason, {cause: error});
	}
}

/** What an authorization server may say of a client that it does not take. @see RFC 6749 §4.1.2.1, RFC 7591 §3.2.2 */
const clientRefusals: ReadonlySet<string> = new Set([
	'invalid_client',
	'unauthorized_client',
	'invalid_client_metadata',
]);
