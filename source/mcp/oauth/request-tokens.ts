import type {StoredOAuthTokens} from '@modelcontextprotocol/client';
import {z} from 'zod';
import type {Clock} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {orElse} from '../../core/or-else.ts';
import {ConnectError} from '../wire/connect-error.ts';
import {accessToken, type StoredTokens, tokenPart} from './grant-files.ts';
import type {Grant} from './grant.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {tokenRefusal} from './refusals.ts';

/** The stored part of an answer's tokens. The client they belong to is not taken from the server. */
const tokensShape = z.object({
	access_token: accessToken,
	token_type: tokenPart,
	id_token: tokenPart.exactOptional(),
	refresh_token: tokenPart.exactOptional(),
	scope: tokenPart.exactOptional(),
	expires_in: z.coerce.number().exactOptional(),
});

/** Sends a token request; a refresh at most once per refresh token. */
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

const tokensOf = (text: string): StoredOAuthTokens | undefined =>
	orElse(() => tokensShape.parse(JSON.parse(text)), undefined);

/** A token endpoint's answer, and its version for the SDK. */
type TokenAnswer =
	| {readonly kind: 'tokens'; readonly tokens: StoredOAuthTokens; readonly response: Response}
	| {
			readonly kind: 'refused';
			readonly status: number;
			/** An OAuth code such as `invalid_grant`; `server_error` if the answer is not OAuth. */
			readonly code: string;
			readonly message: string;
			readonly response: Response;
	  };

/** After a failed refresh, callers that waited for it do not retry within this time. */
const refreshPauseMs = 5000;

/** Codes which mean that the grant or its client is invalid. @see RFC 6749 §5.2 */
const final: ReadonlySet<string> = new Set([
	'invalid_grant',
	'invalid_client',
	'unauthorized_client',
]);

/**
 * Answers a refresh request. It is sent only if no other process has refreshed since: with rotation, a second request with the same refresh token would end the
 * grant. New tokens are on disk before the next process gets the lock.
 *
 * @throws ConnectError of kind `passing` when another try may succeed
 */
async function refreshOnce(
	sent: string,
	{
		grant,
		clock,
		send,
	}: {readonly grant: Grant; readonly clock: Clock; readonly send: () => Promise<TokenAnswer>},
): Promise<Response> {
	try {
		// When many calls are refused at once, only the first one needs the lock among processes.
		return await grant.exclusively(askOnce, async () => {
			const stored = await grant.tokens();
			return stored && isNewer(stored) ? adopt(stored, grant) : undefined;
		});
	} catch (error) {
		const failure = refreshFailureOf(error);
		grant.refreshFailure ??= {failure, at: clock.monotonic()};
		throw failure;
	}

	async function askOnce(): Promise<Response> {
		const stored = await grant.tokens();
		if (!stored) {
			return Response.json({error: 'invalid_grant'}, {status: 400});
		}

		if (isNewer(stored)) {
			return adopt(stored, grant);
		}

		if (grant.refreshFailure && clock.monotonic() - grant.refreshFailure.at < refreshPauseMs) {
			throw grant.refreshFailure.failure;
		}

		grant.refreshFailure = undefined;
		const answer = await send();
		if (answer.kind === 'tokens') {
			await keep(answer.tokens, stored);
		}

		return answer.kind === 'refused' ? refused(answer) : answer.response;
	}

	async function refused(answer: TokenAnswer & {readonly kind: 'refused'}): Promise<Response> {
		if (answer.status === 429 || answer.status >= 500 || answer.code === 'server_error') {
			throw new ConnectError({kind: 'passing', message: answer.message});
		}

		const now = await grant.tokens();
		if (now && isNewer(now)) {
			// A process without the lock was faster.
			return adopt(now, grant);
		}

		if (now && final.has(answer.code)) {
			grant.retire(now);
		}

		return answer.response;
	}

	function isNewer({refresh_token: refresh, access_token: access}: StoredOAuthTokens): boolean {
		return refresh !== sent || !grant.isStale(access);
	}

	async function keep(tokens: StoredOAuthTokens, before: StoredTokens): Promise<void> {
		grant.markStored(tokens.access_token);
		// Members missing in the answer stay unchanged. @see RFC 6749 §5.1, §6
		await grant.files.saveTokens({
			refresh_token: sent,
			...(before.scope !== undefined && {scope: before.scope}),
			...(before.issuer !== undefined && {issuer: before.issuer}),
			...(before.client && {client: before.client}),
			...tokens,
		});
	}
}

function adopt(tokens: StoredOAuthTokens, grant: Grant): Response {
	grant.markStored(tokens.access_token);
	return Response.json({
		access_token: tokens.access_token,
		token_type: tokens.token_type,
		refresh_token: tokens.refresh_token,
		scope: tokens.scope,
	});
}

function refreshFailureOf(error: unknown): ConnectError {
	if (error instanceof ConnectError) {
		return error;
	}

	const cause = error instanceof Error && error.cause ? error.cause : error;
	const reason = codeOf(cause) === 'unknown' ? messageOf(cause) : codeOf(cause);
	return new ConnectError(
		{kind: 'passing', message: `Token refresh failed: ${reason}`},
		{cause: error},
	);
}
