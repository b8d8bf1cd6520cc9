import {randomBytes} from 'node:crypto';
import type {
	OAuthClientProvider,
	OAuthDiscoveryState,
	StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type {Logger} from '../../core/log.ts';
import {loginError} from '../wire/connect-error.ts';
import {clientDocument} from './client-document.ts';
import {clientMetadata, configuredClient, isSameText} from './client-identity.ts';
import type {Redirect} from './login-options.ts';
import type {OAuthRequests} from './oauth-requests.ts';

/** The state of a login in progress. Its findings are kept here, and written to files together with the grant. */
export type LoginProvider = OAuthClientProvider & {
	/** Whether a person has to consent on a page. */
	readonly hasUrl: boolean;
	/** The page's address; returned only once. */
	takeUrl(): URL | undefined;
	/** Verifies that the browser's answer belongs to this login and comes from its authorization server. @throws ConnectError */
	checkAnswer(params: URLSearchParams): void;
	/** Whether the grant is stored. */
	readonly isGranted: boolean;
	/** The authorization server's URL, once known. */
	readonly issuer: string | undefined;
	/** The client metadata document to present to an authorization server that accepts documents. */
	document(): string | undefined;
	/** Registers instead of presenting the document. */
	dropDocument(): void;
};

export type LoginDependencies = Pick<
	OAuthRequests,
	'grant' | 'hide' | 'metadata' | 'scopeFor' | 'server' | 'settings'
> & {
	readonly redirect: Redirect;
	readonly log: Logger;
};

/** Creates the provider of one interactive login. Old grants and registrations are not used; they stay stored until replaced. */
export function createLoginProvider(dependencies: LoginDependencies): LoginProvider {
	const {server, settings, grant, metadata, redirect, scopeFor, hide, log} = dependencies;
	const {files} = grant;
	let client: StoredOAuthClientInformation | undefined;
	let discovery: OAuthDiscoveryState | undefined;
	let verifier: string | undefined;
	let state: string | undefined;
	let url: URL | undefined;
	let granted = false;
	let presents = redirect.isDeclared;

	const documentOf = () =>
		presents ? clientDocument(settings, {refused: files.documentRefused()}) : undefined;

	return {
		redirectUrl: redirect.url,
		get clientMetadata() {
			return clientMetadata(settings, redirect.url);
		},
		// The SDK reads this property before each use; if `undefined`, it registers.
		get clientMetadataUrl() {
			return documentOf() ?? '';
		},
		discoveryState: () => (metadata.distrusted ? undefined : discovery),
		saveDiscoveryState(found) {
			discovery = found;
			const site = found.authorizationServerMetadata;
			if (site && !site.code_challenge_methods_supported) {
				// A client may refuse such servers; but many support PKCE without declaring it. @see manual/logins.md
				log.warn('the authorization server does not say that it knows PKCE', {
					server,
					issuer: site.issuer,
				});
			}

			metadata.distrusted = false;
		},
		clientInformation: context => configuredClient(settings, context?.issuer) ?? client,
		saveClientInformation(information) {
			client = information;
			hide([information.client_secret]);
		},
		tokens: async () => (granted ? grant.tokens() : undefined),
		async saveTokens(tokens) {
			if (granted && grant.isStored(tokens.access_token)) {
				// A refresh has already stored its tokens.
				return;
			}

			await grant.replace(tokens, {
				client: settings.clientId === undefined ? client : undefined,
				...(discovery && {discovery}),
			});
			granted = true;
		},
		state() {
			state = randomBytes(32).toString('base64url');
			return state;
		},
		saveCodeVerifier(text) {
			verifier = text;
			hide([text]);
		},
		codeVerifier() {
			if (verifier === undefined) {
				throw loginError(server, 'the login was not begun here');
			}

			return verifier;
		},
		redirectToAuthorization(authorization) {
			const scope = scopeFor(authorization.searchParams.get('scope') ?? undefined);
			if (scope !== undefined) {
				authorization.searchParams.set('scope', scope);
			}

			if (!scope?.split(' ').includes('offline_access')) {
				// The SDK adds `prompt=consent` for `offline_access`, which the configured scope may lack.
				authorization.searchParams.delete('prompt');
			}

			url = authorization;
		},
		invalidateCredentials(what) {
			const isWhole = what === 'all';
			client = isWhole || what === 'client' ? undefined : client;
			discovery = isWhole || what === 'discovery' ? undefined : discovery;
			verifier = isWhole || what === 'verifier' ? undefined : verifier;
			granted &&= !isWhole && what !== 'tokens';
		},
		get hasUrl() {
			return url !== undefined;
		},
		takeUrl() {
			const taken = url;
			url = undefined;
			return taken;
		},
		checkAnswer(params) {
			const expected = state ?? '';
			// The state is valid for one answer only, right or wrong.
			state = undefined;
			if (!isSameText(expected, params.get('state'))) {
				throw loginError(server, 'the browser came back with an answer to another login (state)');
			}

			const issuer = discovery?.authorizationServerMetadata?.issuer;
			const named = params.get('iss');
			if (issuer !== undefined && named !== null && !isSameText(issuer, named)) {
				// Text from another server is not shown. @see RFC 9207 §2.4
				throw loginError(server, 'the browser came back from another authorization server (iss)');
			}
		},
		get isGranted() {
			return granted;
		},
		get issuer() {
			return discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl;
		},
		document: documentOf,
		dropDocument() {
			presents = false;
		},
	};
}
