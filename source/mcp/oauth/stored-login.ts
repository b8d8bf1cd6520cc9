import {randomBytes} from 'node:crypto';
import type {OAuthClientProvider, OAuthDiscoveryState} from '@modelcontextprotocol/client';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {LoginFacts, ServerLogin} from '../wire/server-login.ts';
import {clientMetadata, configuredClient, sameIssuer, scopeUnion} from './client-identity.ts';
import type {StoredTokens} from './grant-files.ts';
import type {OAuthRequests} from './oauth-requests.ts';

/** Without a redirect URI the SDK would assume a machine's client, which needs no consent; no browser is ever redirected here. */
const unusedRedirect = 'http://127.0.0.1:27890/callback';

export type StoredLoginDependencies = Pick<
	OAuthRequests,
	'grant' | 'metadata' | 'server' | 'settings'
> & {
	readonly log: Logger;
	/** The command to log in. */
	readonly loginCommand: string;
	/** The current metadata of the authorization server of that issuer, which issues device codes; `undefined` if the tool server no longer names it. */
	readonly rediscover: (issuer: string) => Promise<OAuthDiscoveryState | undefined>;
};

const issuerOf = ({
	authorizationServerMetadata,
	authorizationServerUrl,
}: OAuthDiscoveryState): string => authorizationServerMetadata?.issuer ?? authorizationServerUrl;

const factsOf = ({expires_at: expires, issuer, scope}: StoredTokens): LoginFacts => ({
	...(expires !== undefined && {expiresAt: expires * 1000}),
	...(issuer !== undefined && {issuer}),
	...(scope !== undefined && {scope}),
});

/**
 * Presents the stored grant and refreshes it. If a person would be needed, throws a ConnectError of kind `needs-login` before anything is registered. Only
 * contacts the authorization server of the grant.
 *
 * @see manual/logins.md
 */
export function createStoredLogin(dependencies: StoredLoginDependencies): Pick<
	ServerLogin,
	'credentials' | 'state' | 'facts'
> & {
	/** The stored tokens for presenting. @throws ConnectError */
	readonly tokens: () => Promise<StoredTokens | undefined>;
} {
	const {server, settings, grant, metadata, log, loginCommand, rediscover} = dependencies;
	const {files} = grant;

	const needsLogin = (reason: string) =>
		new ConnectError({
			kind: 'needs-login',
			message: `Tool server "${server}" ${reason}: run "${loginCommand}"`,
		});

	/** An unusable file counts as a missing login: logging in replaces it. */
	const read = async <T>(value: Promise<T>): Promise<T> => {
		try {
			return await value;
		} catch (error) {
			const message = `${messageOf(error)}; run "${loginCommand}"`;
			throw new ConnectError({kind: 'needs-login', message}, {cause: error});
		}
	};

	const tokensNow = async () => read(grant.tokens());

	const refusedOrNone = (tokens: StoredTokens | undefined) =>
		needsLogin(tokens ? 'refuses the login that is stored' : 'needs a login');
	const requireUsable = async () => {
		const tokens = await tokensNow();
		if (!tokens || !grant.isUsable(tokens)) {
			throw refusedOrNone(tokens);
		}

		return tokens;
	};

	const credentials: OAuthClientProvider = {
		redirectUrl: unusedRedirect,
		get clientMetadata() {
			return clientMetadata(settings, unusedRedirect);
		},
		async discoveryState() {
			// The SDK asks for this first: without a grant, no further request makes sense.
			const {issuer} = await requireUsable();
			const {discovery, byDevice} = await files.known();
			if (!discovery || (issuer !== undefined && !sameIssuer(issuer, issuerOf(discovery)))) {
				// The metadata belong to another grant: the process that stored this one died in the middle.
				return undefined;
			}

			if (!metadata.distrusted) {
				return discovery;
			}

			const found = byDevice ? await rediscover(issuer ?? issuerOf(discovery)) : undefined;
			if (found) {
				await files.saveKnown({...(await files.known()), discovery: found});
				metadata.distrusted = false;
			}

			return found;
		},
		async saveDiscoveryState(discovery) {
			await files.saveKnown({...(await files.known()), discovery});
			metadata.distrusted = false;
		},
		async clientInformation(context) {
			const {issuer, client: of} = await requireUsable();
			if (context && issuer !== undefined && !sameIssuer(issuer, context.issuer)) {
				throw needsLogin('has changed its authorization server and needs a login');
			}

			const client =
				configuredClient(settings, context?.issuer) ?? of ?? (await read(files.client()));
			if (!client || (context && client.issuer && !sameIssuer(client.issuer, context.issuer))) {
				throw needsLogin('needs a login');
			}

			return client;
		},
		saveClientInformation: async client => {
			// The SDK calls this only to add the issuer to an old registration.
			if (settings.clientId === undefined) {
				await files.saveClient(client);
			}
		},
		tokens: tokensNow,
		async saveTokens(tokens) {
			// Refreshed tokens are already stored, and may have been replaced by another process since.
			if (!grant.isStored(tokens.access_token)) {
				await grant.exclusively(async () => files.saveTokens(tokens));
			}
		},
		state: () => randomBytes(32).toString('base64url'),
		saveCodeVerifier: () => {},
		codeVerifier() {
			throw needsLogin('needs a login');
		},
		async redirectToAuthorization(url) {
			if (grant.refreshFailure) {
				throw grant.refreshFailure.failure;
			}

			const tokens = await grant.tokens();
			const scope = url.searchParams.get('scope') ?? undefined;
			if (tokens && scopeUnion(tokens.scope, scope) !== scopeUnion(tokens.scope)) {
				await files.saveKnown({...(await files.known()), ...(scope && {wantedScope: scope})});
				throw needsLogin(`wants a login with more rights (${scope})`);
			}

			throw refusedOrNone(tokens);
		},
		async invalidateCredentials(what) {
			log.debug('what a login consists of is refused', {server, what});
			if (what === 'discovery' || what === 'all') {
				metadata.distrusted = true;
			}

			const tokens = what === 'tokens' || what === 'all' ? await grant.tokens() : undefined;
			if (tokens && grant.wasRejected(tokens.access_token)) {
				grant.retire(tokens);
			}
		},
	};

	return {
		credentials,
		tokens: tokensNow,
		facts: () => grant.lastTokens && factsOf(grant.lastTokens),
		async state() {
			try {
				await requireUsable();
				return {status: 'logged in'};
			} catch (error) {
				if (error instanceof ConnectError) {
					return {status: 'needs login', reason: error.failure.message};
				}

				throw error;
			}
		},
	};
}
