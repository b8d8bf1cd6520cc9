import type {StoredOAuthTokens} from '@modelcontextprotocol/client';
import {z} from 'zod';
import {accessToken, tokenPart} from './grant-files.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {refreshOnce, type TokenAnswer} from './refresh-once.ts';
import {tokenRefusal} from './refusals.ts';

/** What is kept of the tokens in an answer; whose they are is not the server's to say. */
const tokensShape = z.object({
	access_token: accessToken,
	token_type: tokenPart,
	id_token: tokenPart.exactOptional(),
	refresh_token: tokenPart.exactOptional(),
	scope: tokenPart.exactOptional(),
	expires_in: z.coerce.number().exactOptional(),
});

/** Sends the form of a token request; a refresh at most once for one refresh token. */
export async function requestTokens(
	requests: OAuthRequests,
	body: string,
	ask: (form: URLSearchParams) => Promise<Response>,
): Promise<Response> {
	const form = new URLSearchParams(body);
	const send = async () => readAnswer(requests, form, await ask(form));
	const refresh = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : null;
	return refresh === null
		? (await send()).response
		: refreshOnce(refresh, {grant: requests.grant, clock: requests.clock, send});
}

async function readAnswer(
	{redact, hide, onInvalidClient}: OAuthRequests,
	form: URLSearchParams,
	response: Response,
): Promise<TokenAnswer> {
	const {status, headers} = response;
	if (status >= 300 && status < 400) {
		return {kind: 'elsewhere', response};
	}

	const text = await response.text();
	const tokens = response.ok ? tokensOf(text) : undefined;
	if (tokens) {
		hide([tokens.access_token, tokens.refresh_token]);
		return {kind: 'tokens', tokens, response: new Response(text, {status, headers})};
	}

	const {code, message} = tokenRefusal({status, text}, {form, redact});
	const clientId = form.get('client_id');
	if (code === 'invalid_client' && clientId !== null) {
		await onInvalidClient(clientId);
	}

	return {
		kind: 'refused',
		status,
		code,
		message,
		response: Response.json(
			{error: code, error_description: message},
			{status: Math.max(status, 400)},
		),
	};
}

function tokensOf(text: string): StoredOAuthTokens | undefined {
	try {
		return tokensShape.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}
