import {randomUUID} from 'node:crypto';
import type {RequestListener} from 'node:http';
import {
	InvalidGrantError,
	InvalidTokenError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import {requireBearerAuth} from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type {OAuthServerProvider} from '@modelcontextprotocol/sdk/server/auth/provider.js';
import {
	getOAuthProtectedResourceMetadataUrl,
	mcpAuthRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import {createMcpExpressApp} from '@modelcontextprotocol/sdk/server/express.js';
import type {OAuthClientInformationFull} from '@modelcontextprotocol/sdk/shared/auth.js';
import {startHttp} from './http-server.ts';
import {createSessionListener} from './session-listener.ts';
import {echoServer} from './stateful-server.ts';

type Grant = {readonly client: string; readonly scopes: readonly string[]};

/**
 * A tool server with sessions that wants tokens, and the authorization server that the SDK of the protocols before 2026-07-28 makes of a provider, on one
 * address. Everybody agrees to everything; refresh tokens are used once.
 */
export async function startRouterAuthorization() {
	const clients = new Map<string, OAuthClientInformationFull>();
	const codes = new Map<string, Grant & {readonly challenge: string}>();
	const access = new Map<string, Grant>();
	const refresh = new Map<string, Grant>();
	let refreshes = 0;

	const mint = (grant: Grant) => {
		const tokens = {access_token: randomUUID(), refresh_token: randomUUID()};
		access.set(tokens.access_token, grant);
		refresh.set(tokens.refresh_token, grant);
		return {...tokens, token_type: 'bearer', expires_in: 3600, scope: grant.scopes.join(' ')};
	};
	const taken = <Kept>(from: Map<string, Kept>, key: string): Kept => {
		const kept = from.get(key);
		from.delete(key);
		if (kept === undefined) {
			throw new InvalidGrantError('The grant is not known, or was used');
		}

		return kept;
	};

	const provider: OAuthServerProvider = {
		clientsStore: {
			getClient: id => clients.get(id),
			registerClient(client) {
				const registered = {client_id: randomUUID(), ...client};
				clients.set(registered.client_id, registered);
				return registered;
			},
		},
		async authorize(client, {state, scopes = [], codeChallenge, redirectUri}, response) {
			const code = randomUUID();
			codes.set(code, {client: client.client_id, scopes, challenge: codeChallenge});
			const to = new URL(redirectUri);
			to.searchParams.set('code', code);
			to.searchParams.set('state', state ?? '');
			response.redirect(to.href);
		},
		async challengeForAuthorizationCode(_client, code) {
			return codes.get(code)?.challenge ?? '';
		},
		async exchangeAuthorizationCode(_client, code) {
			return mint(taken(codes, code));
		},
		async exchangeRefreshToken(_client, token) {
			refreshes += 1;
			return mint(taken(refresh, token));
		},
		async verifyAccessToken(token) {
			const grant = access.get(token);
			if (!grant) {
				throw new InvalidTokenError('The token is not known, or was revoked');
			}

			return {
				token,
				clientId: grant.client,
				scopes: [...grant.scopes],
				expiresAt: Date.now() / 1000 + 3600,
			};
		},
		async revokeToken(_client, {token}) {
			access.delete(token);
			refresh.delete(token);
		},
	};

	const app = createMcpExpressApp();
	const http = await startHttp(app as RequestListener);
	const url = new URL(http.url);
	app.use(
		mcpAuthRouter({
			provider,
			issuerUrl: new URL(http.origin),
			resourceServerUrl: url,
			scopesSupported: ['mcp:tools'],
		}),
	);
	const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(url);
	app.use('/mcp', requireBearerAuth({verifier: provider, resourceMetadataUrl}));
	app.use('/mcp', createSessionListener(() => echoServer()).listener);
	return {
		...http,
		/** What asked to be registered. */
		clients: (): readonly OAuthClientInformationFull[] => [...clients.values()],
		refreshCount: () => refreshes,
		/** The tool server takes no token that was given so far. */
		expire() {
			access.clear();
		},
		/** As an account page does: over HTTP, for a client. */
		revoke: async (token: string, client: string) =>
			fetch(`${http.origin}/revoke`, {
				method: 'POST',
				body: new URLSearchParams({token, client_id: client}),
			}),
	};
}
