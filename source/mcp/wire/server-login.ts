import type {FetchLike, OAuthClientProvider} from '@modelcontextprotocol/client';
import type {EndpointPlace} from './address-guard.ts';

/** Whether a server can be connected to with what is stored. */
export type StoredLoginState =
	| {readonly status: 'logged in'}
	/** `reason`: one sentence with the command that logs in. */
	| {readonly status: 'needs login'; readonly reason: string};

/** The login of one tool server: all that is known of logins outside of oauth/, which makes it. */
export type ServerLogin = {
	/** What the SDK presents: the grant of this moment, renewed first when it has ended. Without a usable one it fails with a ConnectError of kind `needs-login`; it never opens a browser. */
	readonly credentials: OAuthClientProvider;
	/**
	 * What the transport is to fetch with: `fetch`, but for requests to an authorization server with the rules of their own. `fetch` adds the static headers
	 * of the server to requests for its endpoint alone. `home`: how near the server is, by the connections of `fetch`.
	 */
	fetchWith(fetch: FetchLike, home: EndpointPlace['home']): FetchLike;
	/** What `fetchWith` made is of no use any more: its connection has ended. */
	fetchEnded?(made: FetchLike): void;
	/** Renews the tokens before they end, used or not, until `signal` aborts: for as long as a connection lasts. */
	keepFresh(signal: AbortSignal): void;
	/** Looks at the files; sends no request. */
	state(): Promise<StoredLoginState>;
	/** Of the tokens that were read last; `undefined` before, and while there are none. Texts as they came. */
	facts(): LoginFacts | undefined;
};

/** What may be shown of a login. */
export type LoginFacts = {
	/** When its access token ends, milliseconds since 1970. */
	readonly expiresAt?: number;
	/** Of its authorization server. */
	readonly issuer?: string;
	/** Separated by blanks. */
	readonly scope?: string;
};

/** What a transport needs of a login, a stored one or one that is under way. */
export type TransportLogin = Pick<ServerLogin, 'credentials' | 'fetchWith' | 'fetchEnded'>;
