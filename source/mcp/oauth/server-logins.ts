import type {AuthorizationServerMetadata} from '@modelcontextprotocol/client';
import type {HomePaths} from '../../config/config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {createRedact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import {ConnectError} from '../wire/connect-error.ts';
import type {ServerLogin} from '../wire/server-login.ts';
import {problemWithDocument} from './check-document.ts';
import {clientDocument} from './client-document.ts';
import {scopeUnion} from './client-identity.ts';
import {createKnownLogin, type KnownLogin, newFacts} from './known-login.ts';
import type {LoginOptions} from './login-options.ts';
import {createLoginProvider} from './login-provider.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {oauthSettingsOf, type OAuthSettings} from './oauth-settings.ts';

export type ServerLoginsDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** Of the profile whose logins these are. */
	readonly paths: Pick<HomePaths, 'mcpTokens' | 'profile' | 'shared'>;
};

/** The OAuth logins of one profile. Grants live in files, which other processes may change at any time. */
export type ServerLogins = {
	/**
	 * The login that is stored for a server, for its connections. `server` is expanded. The same object for the same server; `undefined` without `auth: oauth`.
	 */
	of(server: ToolServerConfig): ServerLogin | undefined;
	/**
	 * Authorizes this program for a server, and replaces its grant once the new one is there. Whatever the server wants a person to agree to goes
	 * through `openBrowser`. Resolves also when the server wants nothing.
	 *
	 * @throws ConnectError; the grant of before is still there then
	 * @see manual/logins.md
	 */
	login(server: ToolServerConfig, options: LoginOptions): Promise<void>;
	/** For the requests of a login that the SDK knows nothing of; its tokens go to `grant.replace`. @throws ConnectError for a server without a login */
	requestsOf(server: ToolServerConfig): Promise<OAuthRequests>;
	/** Tokens and client secrets that were in use, to be hidden; a new array when there are more. */
	secrets(): readonly string[];
};

/** Secrets of a few hundred refreshes; older ones have expired. */
const maxSecrets = 500;

/** Nothing is read or written before a server wants a login. */
export function createServerLogins({
	clock,
	log,
	redact,
	paths,
}: ServerLoginsDependencies): ServerLogins {
	const servers = new Map<string, KnownLogin & {readonly key: string}>();
	let secrets: readonly string[] = [];
	const hideSecrets = createRedact(() => secrets, {byShape: false});
	const hide = (texts: ReadonlyArray<string | undefined>) => {
		const added = texts.filter(text => text !== undefined && !secrets.includes(text));
		if (added.length > 0) {
			secrets = [...secrets, ...added.filter(text => text !== undefined)].slice(-maxSecrets);
		}
	};

	return {
		of: server => find(server)?.login,
		async login(server, options) {
			const {known, settings} = loginOf(server);
			const {grant} = known;
			await grant.files.forgetRefusal();
			const {wantedScope, discovery} = await grant.files.known();
			const {client_id: clientId} = (await grant.files.client().catch(() => undefined)) ?? {};
			const document = clientDocument(settings, {refused: false});
			const supported = discovery && takesDocuments(discovery.authorizationServerMetadata);
			const redirect = await options.redirect({
				takesDocuments: supported,
				isRegistered: clientId !== undefined && clientId !== document,
				document,
			});
			const scopeFor = (advertised: string | undefined) =>
				settings.scope ?? scopeUnion(advertised, wantedScope);
			const metadata = newFacts();
			const provider = createLoginProvider({
				server: server.name,
				settings,
				grant,
				metadata,
				redirect,
				scopeFor,
				hide,
				log,
			});
			const requests = {...known.requests, scopeFor, metadata};
			const {logIn} = await import('./log-in.ts');
			let isChecked = supported === false;
			await logIn(server, options, {
				provider,
				requests,
				async checkDocument(fetch) {
					const {document: presented} = provider;
					const problem =
						isChecked || presented === undefined
							? undefined
							: await problemWithDocument(presented, {fetch, clock, signal: options.signal});
					isChecked = true;
					if (problem !== undefined) {
						log.warn(
							`The client metadata document cannot be used, so that this login registers instead: ${problem}`,
						);
						provider.dropDocument();
					}
				},
			});
		},
		async requestsOf(server) {
			const {known, settings} = loginOf(server);
			const {wantedScope} = await known.grant.files.known();
			return {
				...known.requests,
				scopeFor: advertised => settings.scope ?? scopeUnion(advertised, wantedScope),
				metadata: newFacts(),
			};
		},
		secrets: () => secrets,
	};

	/** @throws ConnectError for a server without a login */
	function loginOf(server: ToolServerConfig): {
		readonly known: KnownLogin;
		readonly settings: OAuthSettings;
	} {
		const known = find(server);
		const settings = oauthSettingsOf(server);
		if (!known || !settings) {
			throw new ConnectError({
				kind: 'permanent',
				message: `Tool server "${server.name}" has no login: its entry lacks "auth: oauth" or a URL`,
			});
		}

		return {known, settings};
	}

	function find(server: ToolServerConfig): KnownLogin | undefined {
		const settings = oauthSettingsOf(server);
		const url = server.endpoint.transport === 'stdio' ? undefined : server.endpoint.url;
		const endpoint = url === undefined ? null : URL.parse(url);
		if (!settings || !endpoint) {
			// The transport says what is wrong with a URL.
			return undefined;
		}

		const key = JSON.stringify([url, settings]);
		const known = servers.get(server.name);
		if (known?.key === key) {
			return known;
		}

		const made = createKnownLogin(
			{server: server.name, endpoint, settings},
			{clock, log, redact: text => redact(hideSecrets(text)), hide, paths},
		);
		servers.set(server.name, {key, ...made});
		return made;
	}
}

const takesDocuments = (metadata: AuthorizationServerMetadata | undefined): boolean =>
	metadata?.client_id_metadata_document_supported === true;
