import type {IncomingMessage} from 'node:http';

/** Headers that a page may send, and read; a browser blocks all others. */
const requestHeaders = 'authorization, content-type, x-request-id, x-svc-session, x-svc-approval';
const answerHeaders =
	'x-request-id, x-svc-session, x-svc-ignored-params, x-svc-model-kind, retry-after, x-should-retry, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests';
const maxAgeSeconds = 600;

/** Longer lists are ignored: no page needs to send that many headers. */
const maxRequestedLength = 2048;

const headerName = /^[\w-]{1,64}$/;

/** The usual headers and any others that the page wants to send: libraries describe themselves in headers. The page's origin is trusted, and these headers have no effect here. */
function allowedHeaders(requested: string | undefined): string {
	const names = requested !== undefined && requested.length <= maxRequestedLength ? requested : '';
	const usual = requestHeaders.split(', ');
	const others = names
		.split(',')
		.map(name => name.trim().toLowerCase())
		.filter(name => headerName.test(name) && !usual.includes(name));
	return [...usual, ...others].join(', ');
}

/** CORS headers of every answer for an allowed origin; none for any other. */
export function corsHeaders(
	{headers: {origin}}: IncomingMessage,
	allowed: readonly string[],
): Readonly<Record<string, string>> {
	if (allowed.length === 0) {
		return {};
	}

	return origin !== undefined && allowed.includes(origin)
		? {
				'Access-Control-Allow-Origin': origin,
				'Access-Control-Expose-Headers': answerHeaders,
				Vary: 'Origin',
			}
		: {Vary: 'Origin'};
}

/** Headers of the answer to a CORS preflight request; `undefined` for any other request. */
export function preflightHeaders(
	request: IncomingMessage,
	allowed: readonly string[],
): Readonly<Record<string, string>> | undefined {
	const {method, headers} = request;
	const {origin} = headers;
	if (method !== 'OPTIONS' || allowed.length === 0 || origin === undefined) {
		return undefined;
	}

	return allowed.includes(origin)
		? {
				...corsHeaders(request, allowed),
				'Access-Control-Allow-Methods': 'GET, POST',
				'Access-Control-Allow-Headers': allowedHeaders(headers['access-control-request-headers']),
				'Access-Control-Max-Age': String(maxAgeSeconds),
			}
		: {Vary: 'Origin'};
}
