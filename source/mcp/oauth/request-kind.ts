/** What a request of the SDK is for. `tool-server`: everything that goes to the tool server itself. */
export type RequestKind = 'tool-server' | 'token' | 'registration' | 'metadata';

/**
 * Tells the SDK's requests apart: it fetches all of them with one function. Only a token endpoint gets a form, only a tool server gets JSON-RPC
 * or is asked for an event stream; what else is posted is a registration.
 */
export function requestKind(url: URL, request: RequestInit, endpoint: URL): RequestKind {
	const headers = new Headers(request.headers);
	const method = (request.method ?? 'GET').toUpperCase();
	if (
		method === 'POST' &&
		/^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')
	) {
		return 'token';
	}

	if (
		samePlace(url, endpoint) ||
		method === 'DELETE' ||
		/\btext\/event-stream\b/i.test(headers.get('accept') ?? '') ||
		(typeof request.body === 'string' && isJsonRpc(request.body))
	) {
		return 'tool-server';
	}

	return method === 'POST' ? 'registration' : 'metadata';
}

const samePlace = (one: URL, other: URL): boolean =>
	one.origin === other.origin && one.pathname === other.pathname;

/** A registration never has this member; a message always has, and the SDK writes it as text. */
function isJsonRpc(body: string): boolean {
	return /"jsonrpc"\s*:\s*"2\.0"/.test(body);
}
