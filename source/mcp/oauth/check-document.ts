import type {FetchLike} from '@modelcontextprotocol/client';
import type {Clock} from '../../core/clock.ts';
import {parsedObject} from '../../core/json.ts';
import {version} from '../../core/program.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {boundedRequest} from './bounded-request.ts';
import {declaredRedirects} from './client-document.ts';

const timeoutMs = 10_000;
const maxBytes = 65_536;

/**
 * Why no authorization server would accept the client metadata document at `url`; `undefined` if it would, or if only this machine cannot reach it. An escaped
 * part of a sentence.
 *
 * @see manual/logins.md#client-identification
 */
export async function problemWithDocument(
	url: string,
	{fetch, clock, signal}: {fetch: FetchLike; clock: Clock; signal: AbortSignal},
): Promise<string | undefined> {
	const headers = {accept: 'application/json', 'user-agent': `Svc-Agent/${version}`};
	const bounds = {clock, timeoutMs, maxBytes};
	try {
		const response = await boundedRequest(
			async limited => fetch(new URL(url), {headers, signal: limited}),
			{bounds, signal},
		);
		const problem = problemWithAnswer(response) ?? problemWithText(await response.text(), url);
		return problem === undefined ? undefined : `${url} ${problem}`;
	} catch {
		signal.throwIfAborted();
		return undefined;
	}
}

function problemWithAnswer({status, headers}: Response): string | undefined {
	const type = headers.get('content-type') ?? '';
	if (status !== 200) {
		return `is answered with status ${status}, not 200`;
	}

	return /^application\/json\s*(?:;|$)/i.test(type)
		? undefined
		: `is answered as "${escapeLine(type, 100)}", not as application/json`;
}

function problemWithText(text: string, url: string): string | undefined {
	const document = parsedObject(text);
	if (!document) {
		return 'is no JSON object';
	}

	const {
		client_id: id,
		redirect_uris: redirects,
		token_endpoint_auth_method: method = 'none',
	} = document;
	if (id !== url) {
		return 'has a "client_id" that is not its own address';
	}

	const missing = declaredRedirects.find(
		redirect => !Array.isArray(redirects) || !redirects.includes(redirect),
	);
	if (missing !== undefined) {
		return `lacks "${missing}" in "redirect_uris"`;
	}

	return method === 'none' ? undefined : 'wants a "token_endpoint_auth_method" other than "none"';
}
