import type {HomePaths} from '../../config/config.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {createRedact} from '../../core/redact.ts';
import type {World} from '../../core/world.ts';
import {ConnectError, permanent} from '../wire/connect-error.ts';
import type {ServerLogin} from '../wire/server-login.ts';
import {problemWithDocument} from './check-document.ts';
import {clientDocument} from './client-document.ts';
import {scopeUnion} from './client-identity.ts';
import type {KnownAuthorization} from './grant-files.ts';
import {createKnownLogin, type KnownLogin, newFacts} from './known-login.ts';
import type {LoginOptions} from './login-options.ts';
import {createLoginProvider} from './login-provider.ts';
import type {OAuthRequests} from './oauth-requests.ts';
import {oauthSettingsOf} from './oauth-settings.ts';

export type ServerLoginsDependencies = Pick<World, 'clock' | 'log' | 'redact'> & {
	/** The paths of the logins' profile. */
	readonly paths: Pick<HomePaths, 'mcpTokens' | 'profile' | 'shared'>;
	/** Receives the tokens and client secrets in use whenever there are new ones; must not throw. */
	readonly onSecrets: (secrets: readonly string[]) => void;
};

/** The OAuth logins of one profile. Grants are stored in files, which other processes may change at any time. */
export type ServerLogins = ReturnType<typeof createServerLogins>;

/** Enough for a few hundred refreshes; older secrets have expired. */
const maxSecrets = 500;

/** Neither reads nor writes before a server needs a login. */
export function createServerLogins(dependencies: ServerLoginsDependencies) {
	const {clock, log, redact, paths, onSecrets} = dependencies;
	const servers = new Map<string, KnownLogin & {readonly key: string}>();
	let secrets: readonly string[] = [];
	const hideSecrets = createRedact(() => secrets, {byShape: false});
	const hide = (texts: ReadonlyArray<string | undefined>) => {
		const added = texts.filter(text => text !== undefined && !secrets.includes(text));
		if (added.length > 0) {
			secrets = [...secrets, ...added.filter(text => text !== undefined)].slice(-maxSecrets);
			onSecrets(secrets);
		}
	};

	return {
		/** The stored login of a server, for its connections. `server` must be expanded. Returns the same object for the same server; `undefined` without `auth: oauth`. */
		of: (server: ToolServerConfig): ServerLogin | undefined => find(server)?.login,
		/**
		 * Authorizes this program for a server, and replaces the old grant once the new one is complete. Pages for the person's consent go through `openBrowser`.
		 * Also resolves if the server requires no login.
		 *
		 * @throws ConnectError; the grant of before is still there then
		 * @see manual/logins.md
		 */
		async login(server: ToolServerConfig, options: LoginOptions): Promise<void> {
			const {grant, requests: common} = loginOf(server);
			await grant.files.forgetRefusal();
			const known = await grant.files.known();
			const {client_id: clientId} = (await grant.files.client().catch(() => undefined)) ?? {};
			const document = clientDocument(common.settings, {refused: false});
			const supported =
				known.discovery &&
				known.discovery.authorizationServerMetadata?.client_id_metadata_document_supported === true;
			const redirect = await options.redirect({
				takesDocuments: supported,
				isRegistered: clientId !== undefined && clientId !== document,
				document,
			});
			const requests = {...common, ...scopesOf(common, known), metadata: newFacts()};
			const provider = createLoginProvider({...requests, redirect, log});
			const {logIn} = await import('./log-in.ts');
			let isChecked = supported === false;
			await logIn(server, options, {
				provider,
				requests,
				async checkDocument(fetch) {
					const presented = provider.document();
					const problem =
						isChecked || presented === undefined
							? undefined
							: await problemWithDocument(presented, {fetch, clock, signal: options.signal});
					isChecked = true;
					if (problem !== undefined) {
						const lead = 'The client metadata document cannot be used';
						log.warn(`${lead}, so that this login registers instead: ${problem}`);
						provider.dropDocument();
					}
				},
			});
		},
		/** The requests of a login that the SDK does not support; store their tokens with `grant.replace`. @throws ConnectError for a server without a login */
		async requestsOf(server: ToolServerConfig): Promise<OAuthRequests> {
			const {grant, requests} = loginOf(server);
			return {...requests, ...scopesOf(requests, await grant.files.known()), metadata: newFacts()};
		},
	};

	/** @throws ConnectError for a server without a login */
	function loginOf(server: ToolServerConfig): KnownLogin {
		const known = find(server);
		if (!known) {
			throw new ConnectError(
				permanent(
					`Tool server "${server.name}" has no login: its entry lacks "auth: oauth" or a URL`,
				),
			);
		}

		return known;
	}

	function find(server: ToolServerConfig): KnownLogin | undefined {
		const settings = oauthSettingsOf(server);
		const url = server.endpoint.transport === 'stdio' ? undefined : server.endpoint.url;
		const endpoint = url === undefined ? null : URL.parse(url);
		if (!settings || !endpoint) {
			// The transport reports an invalid URL.
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

/** The scopes to request: the configured ones, else those advertised plus those that the grant lacks. */
const scopesOf = (
	{settings}: KnownLogin['requests'],
	{wantedScope}: KnownAuthorization,
): Pick<OAuthRequests, 'scopeFor'> => ({
	scopeFor: advertised => settings.scope ?? scopeUnion(advertised, wantedScope),
});
