import type {FetchLike, OAuthClientProvider} from '@modelcontextprotocol/client';

/**
 * What the transport of a server with a login is to fetch with: `fetch`, but for requests to an authorization server with the rules of their
 * own (bounds, addresses, `User-Agent`, one refresh at a time). `fetch` adds the static headers of the server to requests for its endpoint alone.
 */
export function oauthFetch(_provider: OAuthClientProvider, fetch: FetchLike): FetchLike {
	return fetch;
}
