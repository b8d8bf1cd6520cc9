import type {OAuthClientProvider} from '@modelcontextprotocol/client';
import type {HomePaths} from '../../config/config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {Clock} from '../../core/clock.ts';
import type {Logger} from '../../core/log.ts';
import type {Redact} from '../../core/redact.ts';
import type {OpenTransport} from '../wire/open-transport.ts';

export type OAuthDependencies = {
	readonly clock: Clock;
	readonly log: Logger;
	readonly redact: Redact;
	/** Of the profile whose logins these are. */
	readonly paths: Pick<HomePaths, 'mcpTokens'>;
};

/** What an interactive login needs of whoever asked for it. */
export type LoginOptions = {
	readonly open: OpenTransport;
	/** Where the authorization server sends the browser back to. */
	readonly redirectUrl: string;
	/** Shows an http(s) URL to a person and resolves with the parameters of the URL that the browser came back with. */
	readonly openBrowser: (url: URL) => Promise<URLSearchParams>;
	/** Values that came from variables. */
	readonly secrets: readonly string[];
	readonly signal: AbortSignal;
};

/** The OAuth logins of one profile. Grants live in files, which other processes may change at any time. */
export type OAuthProviders = {
	/**
	 * What a connection presents to the server: reads and refreshes the grant that is there, and never opens a browser: without a usable grant it fails
	 * with a ConnectError of kind `needs-login`. `server` is expanded. The same object for the same server; `undefined` without `auth: oauth`.
	 */
	of(server: ToolServerConfig): OAuthClientProvider | undefined;
	/**
	 * Authorizes this program for a server, and replaces its grant once the new one is there.
	 *
	 * @throws ConnectError
	 */
	login(server: ToolServerConfig, options: LoginOptions): Promise<void>;
	/** Tokens and client secrets in use, to be hidden; a new array when they changed. */
	secrets(): readonly string[];
};

export function createOAuthProviders(_dependencies: OAuthDependencies): OAuthProviders {
	throw new Error('not written yet');
}
