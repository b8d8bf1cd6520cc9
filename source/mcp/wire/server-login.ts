import type {FetchLike, OAuthClientProvider} from '@modelcontextprotocol/client';
import type {EndpointPlace} from './address-guard.ts';

/** Whether the stored login suffices to connect to a server. */
export type StoredLoginState =
	| {readonly status: 'logged in'}
	/** `reason`: one sentence with the command to log in. */
	| {readonly status: 'needs login'; readonly reason: string};

/** A tool server's login: all that code outside of oauth/, which creates it, knows about logins. */
export type ServerLogin = {
	/** Presents the current grant to the SDK, renewing it first if expired. Without a usable grant fails with a ConnectError of kind `needs-login`; never opens a browser. */
	readonly credentials: OAuthClientProvider;
	/**
	 * The fetch for the transport: `fetch` itself, except that requests to an authorization server follow their own rules. `fetch` adds the server's static
	 * headers only for its endpoint. `home`: how near the server is, by the connections of `fetch`.
	 */
	fetchWith(fetch: FetchLike, home: EndpointPlace['home']): FetchLike;
	/** Says that the connection of a function made by `fetchWith` has ended. */
	fetchEnded?(made: FetchLike): void;
	/** Renews the tokens before they expire, used or not, until `signal` aborts: call for as long as a connection lasts. */
	keepFresh(signal: AbortSignal): void;
	/** Reads the files; sends no request. */
	state(): Promise<StoredLoginState>;
	/** Facts about the tokens read last; `undefined` before that, and without tokens. Texts are unescaped. */
	facts(): LoginFacts | undefined;
};

/** What may be shown about a login. */
export type LoginFacts = {
	/** When its access token expires, in milliseconds since 1970. */
	readonly expiresAt?: number;
	/** Its authorization server. */
	readonly issuer?: string;
	/** Space-separated. */
	readonly scope?: string;
};

/** What a transport needs from a login, stored or in progress. */
export type TransportLogin = Pick<ServerLogin, 'credentials' | 'fetchWith' | 'fetchEnded'>;
